package org.fmi.core.recovery;

/**
 * Says how long a rank stays between two iterations for the work behind a line that is under way.
 *
 * <p>A program that computes long and hardly waits in its calls has no other time for it, and ranks
 * need each other: where all come to the end of an iteration at about the same time, a small part
 * of it is enough to do in few iterations what would else take hundreds of them. Ranks that keep
 * missing each other stay longer and longer, until they must meet.
 */
final class Stays {
  /** So little of an iteration's time at first, and after a while. */
  private static final int FIRST_SHARE = 16;

  private static final int LAST_SHARE = 2;

  /** Stays of one length. */
  private static final int PATIENCE = 16;

  /** No stay is longer: it must not look like a standstill. */
  static final long MOST_NANOS = 2_000_000_000;

  private int before;

  /** A line begins. */
  void begin() {
    before = 0;
  }

  /** How long the next one is; the iteration before it has taken this long. */
  long next(long iterationNanos) {
    int share = FIRST_SHARE >> Math.min(before / PATIENCE, Integer.SIZE - 1);
    before++;
    return Math.min(iterationNanos / Math.max(LAST_SHARE, share), MOST_NANOS);
  }
}
