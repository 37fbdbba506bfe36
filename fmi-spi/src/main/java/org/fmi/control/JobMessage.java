package org.fmi.control;

import java.util.List;
import org.fmi.codec.Tag;

/** What the job tells its ranks. */
public sealed interface JobMessage {

  /**
   * The epoch before {@code epoch} is over: leave it and join this one (H1).
   *
   * @param failed a rank that has failed in the epoch before, or {@link #NONE}
   * @param without transports to leave out where that can be done
   */
  @Tag(1)
  record Revoke(int epoch, int failed, List<String> without) implements JobMessage {
    /** No rank has failed, or none that this one must know of. */
    public static final int NONE = -1;
  }

  /**
   * All have joined: connect (H2), restore, run.
   *
   * @param rollback whether there are ranks in a loop, to which new processes catch up by replay;
   *     if not, all processes are new
   * @param local the version of the checkpoint that failed ranks go back to, while the others go
   *     on; {@link #ALL_GO_BACK} if there are none
   * @param endpoints of all ranks
   */
  @Tag(2)
  record Start(int epoch, boolean rollback, long local, AddressTable endpoints)
      implements JobMessage {
    /** In place of a version. */
    public static final long ALL_GO_BACK = -1;

    /** All go back, or begin. */
    public Start(int epoch, boolean rollback, AddressTable endpoints) {
      this(epoch, rollback, ALL_GO_BACK, endpoints);
    }

    /** Whether only failed ranks go back. */
    public boolean isLocal() {
      return local != ALL_GO_BACK;
    }
  }

  /** The job knows that this rank makes a choice in this loop: go on, and make it. */
  @Tag(8)
  record Noted(long loop) implements JobMessage {}

  /**
   * What a rank has reported by {@link RankMessage.Chose} is kept: the answer to each, in order.
   */
  @Tag(9)
  record Kept() implements JobMessage {}

  /**
   * What this rank, which goes back alone, has decided since the checkpoint: it is to decide the
   * same again. Comes before {@link Start}.
   */
  @Tag(10)
  record Decided(int epoch, long[] determinants) implements JobMessage {}

  /** All have finished: leave. */
  @Tag(3)
  record Release() implements JobMessage {}

  /**
   * Somebody asks for a checkpoint: say by {@link RankMessage.Stops} that you do nothing again any
   * more that was done before a failure, as soon as that is so, and go on.
   *
   * @param request counts them
   */
  @Tag(12)
  record Settle(int epoch, long request) implements JobMessage {}

  /**
   * Somebody asks for a checkpoint: say where you can stop first, by {@link RankMessage.Stops}, and
   * go no further than to the next place where one can be taken.
   *
   * @param request counts them
   */
  @Tag(4)
  record Hold(int epoch, long request) implements JobMessage {}

  /**
   * Go on, and take a checkpoint there: all do.
   *
   * @param files whether it is to be written to files too, if the job writes any
   */
  @Tag(5)
  record Meet(int epoch, long request, LoopPoint at, boolean files) implements JobMessage {}

  /**
   * Somebody asks for a checkpoint that no rank waits for: begin one at the next place where one
   * can be taken, unless another is committed before.
   *
   * @param request counts them
   * @param newest the newest version that was committed when it was asked for; -1 if that is not
   *     known
   */
  @Tag(11)
  record Begin(int epoch, long request, long newest) implements JobMessage {}

  /** The next checkpoint is to be written to files; for rank 0, which chooses those that are. */
  @Tag(7)
  record WriteNext() implements JobMessage {}

  /** Nobody asks any more: go on. */
  @Tag(6)
  record GoOn(int epoch, long request) implements JobMessage {}
}
