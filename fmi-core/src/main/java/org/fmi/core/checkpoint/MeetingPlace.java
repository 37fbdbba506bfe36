package org.fmi.core.checkpoint;

import org.fmi.Comm;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.core.p2p.Messenger;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Lets all ranks meet: where no message is under way, and where they decide whether a loop goes on.
 * Those that meet at different places notice.
 */
final class MeetingPlace {
  // What ranks tell each other where they meet.
  private static final int OUTSTANDING = 0;
  private static final int LEAVING = 1;
  private static final int DECIDING = 2;
  private static final int WANTING = 3;

  private final RankConfig config;
  private final Comm system;
  private final Messenger messenger;
  private final Contradiction contradiction;

  MeetingPlace(RankConfig config, Comm system, Messenger messenger, Contradiction contradiction) {
    this.config = config;
    this.system = system;
    this.messenger = messenger;
    this.contradiction = contradiction;
  }

  /**
   * Returns when every message sent by any rank so far has arrived where it was sent to, and no
   * more than receives without a message is left of requests. Nobody sends meanwhile, so that the
   * sum of messages sent but not arrived only falls.
   *
   * @param at null in {@code Fmi.close}; the others are there too, or it throws
   */
  void drain(@Nullable Meeting at, int epoch) {
    boolean leaving = at == null;
    long[] sums;
    // A sender that waits for its receive must get here too; but not if that will never come.
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
            "other ranks are in a loop, and take a checkpoint with this rank, which is in"
                + " Fmi.close: their loops differ, or an exception has left out one of this"
                + " rank's");
      }
      return;
    }
    requireNobodyLeaves(sums);
    if (sums[DECIDING] > 0) {
      throw contradiction.differ(at, epoch);
    }
    messenger.settle();
  }

  /**
   * Whether a loop goes on after an iteration: if any rank wants that. Collective over all ranks.
   */
  boolean goesOn(long loop, long iteration, boolean wanted, int epoch) {
    long[] sums = sums(0, 0, 1, wanted ? 1 : 0);
    requireNobodyLeaves(sums);
    if (sums[DECIDING] < config.size()) {
      throw contradiction.differ(new Meeting(Meeting.Kind.DECISION, loop, iteration), epoch);
    }
    return sums[WANTING] > 0;
  }

  /** One all-reduce wherever ranks meet, so that those which meet at different places notice. */
  private long[] sums(long outstanding, long leaving, long deciding, long wanting) {
    long[] sums = new long[4];
    sums[OUTSTANDING] = outstanding;
    sums[LEAVING] = leaving;
    sums[DECIDING] = deciding;
    sums[WANTING] = wanting;
    system.allReduce(sums, Op.SUM);
    return sums;
  }

  private void requireNobodyLeaves(long[] sums) {
    while (sums[LEAVING] > 0) {
      messenger.park(); // the one that leaves ends with that, and this one is told to go back
    }
  }

  /** Loops of different length: see {@link Contradiction}. */
  IllegalStateException differentLengths(long number, long iterations, int epoch) {
    return contradiction.differ(
        "run loops of different length",
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
