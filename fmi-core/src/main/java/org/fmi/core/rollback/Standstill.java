package org.fmi.core.rollback;

/**
 * Tells whether failed ranks go back alone again and again while no rank gets any further: they are
 * lost again before they have caught up, and the others, who wait for them, are past the places
 * where a checkpoint could be taken sooner. Then all go back, and the interval between checkpoints
 * becomes shorter ({@link org.fmi.rules.IntervalTuner#goneBack}).
 *
 * <p>Fed with numbers that all ranks have agreed on.
 */
final class Standstill {
  /** No rank has gone back alone to this checkpoint, as far as is known. */
  static final long NOWHERE = -1;

  private static final long NO_VERSION = -1;

  /** So often in a row they may go back and nobody gets further, after the first time. */
  private static final int MOST = 2;

  /** Of the checkpoint that they go back to. */
  private long version = NO_VERSION;

  private long front = NOWHERE;
  private long times;

  /** Failed ranks are about to go back to this checkpoint. */
  void begin(long to) {
    if (version != to) {
      clear();
      version = to;
    }
  }

  /** All have gone back. */
  void clear() {
    version = NO_VERSION;
    front = NOWHERE;
    times = 0;
  }

  /** The furthest iteration when ranks went back alone last. */
  long front() {
    return front;
  }

  /** How often they have gone back since, to no more than that. */
  long times() {
    return times;
  }

  /**
   * Some ranks go back alone.
   *
   * @param furthest the furthest iteration that a rank is in that goes on
   * @param before the largest {@link #front} that a rank knew
   * @param timesBefore the largest {@link #times}
   */
  void goBack(long furthest, long before, long timesBefore) {
    times = furthest > before ? 0 : timesBefore + 1;
    front = Math.max(furthest, before);
  }

  /**
   * Whether it is better to go back too, as far as this rank knows.
   *
   * @param to the version of the checkpoint
   * @param line its iteration: no interval is shorter than one
   * @param iteration where this rank is
   */
  boolean isOne(long to, long line, long iteration) {
    return version == to && times >= MOST && front > line + 1 && iteration <= front;
  }
}
