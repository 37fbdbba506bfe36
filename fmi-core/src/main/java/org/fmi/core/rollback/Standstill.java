package org.fmi.core.rollback;

/**
 * Detects that failed ranks roll back alone repeatedly without any rank making progress. They fail
 * again before they have caught up, and the ranks that wait for them are past the places where a
 * checkpoint could be taken sooner. All ranks then roll back, and the interval between checkpoints
 * shrinks ({@link org.fmi.rules.IntervalTuner#rolledBack}).
 *
 * <p>All inputs are numbers that all ranks have agreed on.
 */
final class Standstill {
  /** No known rank has rolled back alone to this checkpoint. */
  static final long NO_FRONT = -1;

  private static final long NO_VERSION = -1;

  /** Maximum number of consecutive rollbacks without progress, after the first one. */
  private static final int MAX_TIMES = 2;

  /** The version of the checkpoint that they roll back to. */
  private long version = NO_VERSION;

  private long front = NO_FRONT;
  private long times;

  /** Failed ranks are about to roll back to this checkpoint. */
  void begin(long to) {
    if (version != to) {
      clear();
      version = to;
    }
  }

  /** Forgets everything, as all ranks have rolled back. */
  void clear() {
    version = NO_VERSION;
    front = NO_FRONT;
    times = 0;
  }

  /** The furthest iteration at the last local rollback. */
  long front() {
    return front;
  }

  /** Number of consecutive local rollbacks that got no further. */
  long times() {
    return times;
  }

  /**
   * Counts a local rollback.
   *
   * @param furthest the furthest iteration of any rank that continues
   * @param before the largest {@link #front} that any rank knew
   * @param timesBefore the largest {@link #times} of any rank
   */
  void rolledBack(long furthest, long before, long timesBefore) {
    times = furthest > before ? 0 : timesBefore + 1;
    front = Math.max(furthest, before);
  }

  /**
   * Whether this rank should roll back too, as far as it knows.
   *
   * @param to the version of the checkpoint
   * @param line its iteration: no interval is shorter than one iteration
   * @param iteration this rank's iteration
   */
  boolean isStuck(long to, long line, long iteration) {
    return version == to && times >= MAX_TIMES && front > line + 1 && iteration <= front;
  }
}
