package org.fmi.job;

import java.util.List;
import org.fmi.control.RankReport.Waiting;

/** What holds a job up, as {@link StallWatch} has found. */
public sealed interface Stall {
  /** Since when nothing has happened, as a duration. */
  long nanos();

  /**
   * Every rank waits: nothing will ever happen.
   *
   * @param waiters by rank
   * @param ended ranks whose program has called Fmi.close
   * @param circle ranks of which each waits for the next one, and the last for the first; empty if
   *     there are none
   */
  record AllWait(long nanos, List<Waiter> waiters, List<Integer> ended, List<Integer> circle)
      implements Stall {}

  /** All ranks but a few wait, for one of those in the end. */
  record SomeAwaited(long nanos, List<Awaited> ranks) implements Stall {}

  /** A recovery waits for ranks that have not come to a call since the failure. */
  record RecoveryWaits(long nanos, List<Awaited> ranks) implements Stall {}

  /**
   * A rank that waits.
   *
   * @param iteration that it is in; -1 outside of loops
   * @param nanos since when, as a duration up to now
   */
  record Waiter(int rank, Waiting waiting, long iteration, long nanos) {}

  /**
   * A rank that others wait for.
   *
   * @param heard whether it shows itself; it is stopped if not, or very slow
   * @param replays whether it repeats what was before the loop
   * @param iteration that it is in; -1 outside of loops
   * @param nanos how long it has been computing, or has not been heard
   * @param waiters those who wait for it, as far as is known
   */
  record Awaited(
      int rank,
      boolean heard,
      boolean replays,
      long iteration,
      long nanos,
      List<Integer> waiters) {}
}
