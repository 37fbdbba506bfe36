package org.fmi.core.checkpoint;

/**
 * Says how long a rank stays between two iterations for the work behind a line that is under way.
 *
 * <p>A program that computes long and hardly waits in its calls has no other time for it, and ranks
 * need each other: where all come to the end of an iteration at about the same time, a small part
 * of it is enough to do in few iterations what would else take hundreds of them. Ranks that keep
 * missing each other stay longer and longer, until they must meet; but all stays together take no
 * more than a small part of the time since the line before.
 */
final class Stays {
  /** So little of an iteration's time at first, and after a while. */
  private static final int FIRST_SHARE = 16;

  private static final int LAST_SHARE = 2;

  /** Stays of one length. */
  private static final int PATIENCE = 4;

  /** So little of the time since the line before, all together. */
  private static final int OF_ALL = 16;

  /** No stay is longer: it must not look like a standstill. */
  static final long MOST_NANOS = 2_000_000_000;

  private int before;

  /** When the line under way began, and the one before. */
  private long begun;

  private long begunBefore;

  /** What the stays of this line have taken. */
  private long stayed;

  /**
   * @param now when the work of the first line cannot have begun
   */
  Stays(long now) {
    begun = now;
    begunBefore = now;
  }

  /** A line begins. */
  void begin(long now) {
    before = 0;
    begunBefore = begun;
    begun = now;
    stayed = 0;
  }

  /** How long the next one is; the iteration before it has taken this long. */
  long next(long now, long iterationNanos) {
    int share = FIRST_SHARE >> Math.min(before / PATIENCE, Integer.SIZE - 1);
    before++;
    long left = Math.max(0, (now - begunBefore) / OF_ALL - stayed);
    long stay = Math.min(Math.min(iterationNanos / Math.max(LAST_SHARE, share), MOST_NANOS), left);
    stayed += stay;
    return stay;
  }
}
