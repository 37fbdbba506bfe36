package org.fmi.core.checkpoint;

import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.p2p.Messenger;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Meetings of all ranks: to drain messages, and to decide whether a loop continues. Ranks that meet
 * at different places detect it.
 */
final class Synchronization {
  // Values that ranks add up where they meet.
  private static final int OUTSTANDING = 0;
  private static final int LEAVING = 1;
  private static final int DECIDING = 2;
  private static final int WANTING = 3;

  private final RankConfig config;
  private final Comm system;
  private final Messenger messenger;
  private final Divergence divergence;

  Synchronization(RankConfig config, Comm system, Messenger messenger, Divergence divergence) {
    this.config = config;
    this.system = system;
    this.messenger = messenger;
    this.divergence = divergence;
  }

  /**
   * Returns when every message sent by any rank so far has arrived at its destination, and no
   * requests are left but unmatched receives. No rank sends meanwhile, so the number of messages
   * under way only falls.
   *
   * @param at null in {@code Fmi.close}; throws unless all other ranks are there too
   */
  void drain(@Nullable SyncPoint at, int epoch) {
    boolean leaving = at == null;
    long[] sums;
    // A sender that waits for its receive must get here too, but not if that receive will never be
    // posted.
    messenger.mailbox().pull(!leaving);
    try {
      do {
        messenger.fetchUnexpected();
        messenger.poll();
        sums = sums(messenger.userSent() - messenger.userArrived(), leaving ? 1 : 0, 0, 0);
      } while (sums[OUTSTANDING] != 0 && sums[DECIDING] == 0);
      messenger.fetchUnexpected();
    } finally {
      messenger.mailbox().pull(false);
    }
    if (at == null) {
      if (sums[LEAVING] < config.size()) {
        throw new FmiException(
            ErrorClass.MISMATCH,
            "this rank is in Fmi.close, but other ranks take a checkpoint in a loop: their loops"
                + " differ, or an exception made this rank skip one");
      }
      return;
    }
    requireNoneLeaves(sums);
    if (sums[DECIDING] > 0) {
      throw divergence.differ(at, epoch);
    }
    messenger.settle();
  }

  /** Whether a loop continues after an iteration, as any rank wants; collective over all ranks. */
  boolean continues(long loop, long iteration, boolean wanted, int epoch) {
    long[] sums = sums(0, 0, 1, wanted ? 1 : 0);
    requireNoneLeaves(sums);
    if (sums[DECIDING] < config.size()) {
      throw divergence.differ(new SyncPoint(SyncPoint.Kind.DECISION, loop, iteration), epoch);
    }
    return sums[WANTING] > 0;
  }

  /** Performs the one all-reduce of all meetings, so that ranks at different places detect it. */
  private long[] sums(long outstanding, long leaving, long deciding, long wanting) {
    long[] sums = new long[4];
    sums[OUTSTANDING] = outstanding;
    sums[LEAVING] = leaving;
    sums[DECIDING] = deciding;
    sums[WANTING] = wanting;
    system.allReduce(sums, Op.SUM);
    return sums;
  }

  private void requireNoneLeaves(long[] sums) {
    while (sums[LEAVING] > 0) {
      messenger.park(); // the leaving rank fails, and this rank is told to roll back
    }
  }

  /** Ends the job as its ranks run loops of different lengths: see {@link Divergence}. */
  IllegalStateException differentLengths(long number, long iterations, int epoch) {
    return divergence.differ(
        "run loops of different lengths",
        new long[] {number, iterations},
        loop ->
            "runs loop "
                + loop[0]
                + " of "
                + (loop[1] < 0 ? "an unknown number of" : loop[1])
                + " iterations",
        epoch);
  }
}
