package org.fmi.control;

import java.util.List;
import org.fmi.codec.Tag;

/** A message from the job to its ranks. */
public sealed interface JobMessage {

  /**
   * Revokes the epoch before {@code epoch}: the rank leaves it and joins this one (H1).
   *
   * @param failed a rank that failed in the previous epoch, or {@link #NONE}
   * @param without transports to leave out where possible
   */
  @Tag(1)
  record Revoke(int epoch, int failed, List<String> without) implements JobMessage {
    /** No rank has failed, or none that this rank must know of. */
    public static final int NONE = -1;
  }

  /**
   * All ranks have joined: the rank connects (H2), restores its state and runs.
   *
   * @param rollback whether some ranks are in a loop, which new processes reach by replay; if not,
   *     all processes are new
   * @param local the version of the checkpoint that failed ranks roll back to while the other ranks
   *     continue; {@link #ALL_ROLL_BACK} if there are no such ranks
   * @param endpoints the addresses of all ranks
   */
  @Tag(2)
  record Start(int epoch, boolean rollback, long local, AddressTable endpoints)
      implements JobMessage {
    /** The value of {@code local} if all ranks roll back. */
    public static final long ALL_ROLL_BACK = -1;

    /** All ranks roll back, or start. */
    public Start(int epoch, boolean rollback, AddressTable endpoints) {
      this(epoch, rollback, ALL_ROLL_BACK, endpoints);
    }

    /** Whether only failed ranks roll back. */
    public boolean isLocal() {
      return local != ALL_ROLL_BACK;
    }
  }

  /**
   * The job has recorded that this rank makes a choice in this loop. The rank makes it and
   * continues.
   */
  @Tag(8)
  record ChoiceRecorded() implements JobMessage {}

  /**
   * Acknowledges one {@link RankMessage.Determinants}: its determinants are stable.
   * Acknowledgements are sent in the order of the reports.
   */
  @Tag(9)
  record Acknowledged() implements JobMessage {}

  /**
   * The determinants of this rank since the checkpoint, for a rank that rolls back alone: it
   * replays them. Sent before {@link Start}.
   */
  @Tag(10)
  record ReplayDeterminants(int epoch, long[] determinants) implements JobMessage {}

  /** All ranks have finished: the rank leaves. */
  @Tag(3)
  record Release() implements JobMessage {}

  /**
   * A checkpoint was requested. The rank continues, and answers with {@link RankMessage.Stops} once
   * it repeats nothing that it did before a failure.
   *
   * @param request the request's number
   */
  @Tag(12)
  record Settle(int epoch, long request) implements JobMessage {}

  /**
   * A checkpoint was requested. The rank answers with {@link RankMessage.Stops}, the first place
   * where it can stop, and goes no further than the next place where a checkpoint is possible.
   *
   * @param request the request's number
   */
  @Tag(4)
  record Hold(int epoch, long request) implements JobMessage {}

  /**
   * All ranks continue to this place and take a checkpoint there.
   *
   * @param files whether the checkpoint is written to files too, if the job writes any
   */
  @Tag(5)
  record Meet(int epoch, long request, LoopPoint at, boolean files) implements JobMessage {}

  /**
   * An asynchronous checkpoint was requested. The rank begins one at the next possible place,
   * unless another one is committed before.
   *
   * @param request the request's number
   * @param newest the newest version that was committed at the time of the request; -1 if unknown
   */
  @Tag(11)
  record Begin(int epoch, long request, long newest) implements JobMessage {}

  /**
   * The next checkpoint is to be written to files. Sent to rank 0, which chooses the checkpoints to
   * write.
   */
  @Tag(7)
  record WriteNext() implements JobMessage {}

  /** The checkpoint request is withdrawn: the rank continues. */
  @Tag(6)
  record Resume(int epoch, long request) implements JobMessage {}

  /**
   * A rank has died, and the job continues without it. Deaths are one sequence: each rank hears of
   * them in the same order, and of each once.
   *
   * @param seq its place in the sequence, from 1 on
   * @param by who noticed it
   * @param reason a predicate whose subject is the rank
   */
  @Tag(13)
  record Dead(long seq, int rank, String by, String reason) implements JobMessage {}

  /** A rank that was suspected lives. */
  @Tag(14)
  record Alive(int rank) implements JobMessage {}

  /**
   * The outcome of an agreement: each living member has asked for it.
   *
   * @param flags the bits that all members that asked have set
   * @param seq the deaths up to this one are left out of a communicator that is made
   * @param id the communicator's id: the highest of the members' next free ones
   */
  @Tag(15)
  record Agreed(int communicator, int call, long flags, long seq, int id) implements JobMessage {}

  /** A member has revoked this communicator. */
  @Tag(16)
  record Revoked(int communicator) implements JobMessage {}
}
