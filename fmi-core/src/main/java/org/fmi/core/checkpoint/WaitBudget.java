package org.fmi.core.checkpoint;

/**
 * Budget for a rank's waits between two iterations, for the pending work of a recovery line.
 *
 * <p>A program that computes for long and hardly waits in its calls has no other time for this
 * work, and ranks need each other: if all of them end an iteration at about the same time, a short
 * wait in a few iterations does what would otherwise take hundreds. Ranks that keep missing each
 * other wait longer and longer, until they must meet. All waits together are limited to a small
 * part of the time since the previous recovery line.
 */
final class WaitBudget {
  /** The first waits take 1/16 of an iteration's time; the share grows up to 1/2. */
  private static final int FIRST_SHARE = 16;

  private static final int LAST_SHARE = 2;

  /** Number of waits before the share doubles. */
  private static final int PATIENCE = 4;

  /** All waits together take at most this part of the time since the previous recovery line. */
  private static final int OF_ALL = 16;

  /** Maximum length of a wait: it must not look like a hang. */
  static final long MAX_NANOS = 2_000_000_000;

  private int before;

  /**
   * Time at which the current recovery line began; {@link #begunBefore} is that of the previous
   * one.
   */
  private long begun;

  private long begunBefore;

  /** Total length of the waits for this recovery line. */
  private long stayed;

  /**
   * @param now a time before any work can have begun
   */
  WaitBudget(long now) {
    begun = now;
    begunBefore = now;
  }

  /** Begins a recovery line. */
  void begin(long now) {
    before = 0;
    begunBefore = begun;
    begun = now;
    stayed = 0;
  }

  /** The length of the next wait, after an iteration of this length. */
  long next(long now, long iterationNanos) {
    int share = FIRST_SHARE >> Math.min(before / PATIENCE, Integer.SIZE - 1);
    before++;
    long left = Math.max(0, (now - begunBefore) / OF_ALL - stayed);
    long stay = Math.min(Math.min(iterationNanos / Math.max(LAST_SHARE, share), MAX_NANOS), left);
    stayed += stay;
    return stay;
  }
}
