package org.fmi.control;

import java.util.List;
import java.util.Map;

/** What the job tells its ranks. */
public sealed interface JobMessage {

  /**
   * The epoch before {@code epoch} is over: leave it and join this one (H1).
   *
   * @param failed a rank that has failed in the epoch before, or {@link #NONE}
   * @param without transports to leave out where that can be done
   */
  record Revoke(int epoch, int failed, List<String> without) implements JobMessage {
    /** No rank has failed, or none that this one must know of. */
    public static final int NONE = -1;
  }

  /**
   * All have joined: connect (H2), restore, run.
   *
   * @param rollback whether there are ranks in a loop, to which new processes catch up by replay;
   *     if not, all processes are new
   * @param endpoints by world rank
   */
  record Start(int epoch, boolean rollback, List<Map<String, byte[]>> endpoints)
      implements JobMessage {}

  /** All have finished: leave. */
  record Release() implements JobMessage {}

  /**
   * Somebody asks for a checkpoint: say where you can stop first, by {@link RankMessage.Stops}, and
   * go no further than to the next place where one can be taken.
   *
   * @param request counts them
   */
  record Hold(int epoch, long request) implements JobMessage {}

  /** Go on, and take a checkpoint there: all do. */
  record Meet(int epoch, long request, LoopPoint at) implements JobMessage {}

  /** The next checkpoint is to be written to files; for rank 0, which chooses those that are. */
  record WriteNext() implements JobMessage {}

  /** Nobody asks any more: go on. */
  record GoOn(int epoch, long request) implements JobMessage {}
}
