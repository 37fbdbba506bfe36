package org.fmi.job;

import java.util.List;
import org.fmi.control.RankReport.Waiting;

/** A cause that holds a job up, found by {@link StallWatch}. */
public sealed interface Stall {
  /** Returns the time since the last progress. */
  long nanos();

  /**
   * Every rank waits, so nothing will ever happen.
   *
   * @param waiters by rank
   * @param ended ranks whose program has called Fmi.close
   * @param circle ranks each of which waits for the next, and the last for the first; empty if
   *     there are none
   */
  record AllWait(long nanos, List<Waiter> waiters, List<Integer> ended, List<Integer> circle)
      implements Stall {}

  /** All ranks but a few wait, in the end for one of these few. */
  record SomeAwaited(long nanos, List<Awaited> ranks) implements Stall {}

  /** A recovery waits for ranks that have made no call since the failure. */
  record RecoveryWaits(long nanos, List<Awaited> ranks) implements Stall {}

  /**
   * A rank that waits.
   *
   * @param iteration its iteration; -1 outside of loops
   * @param nanos how long it has been waiting
   */
  record Waiter(int rank, Waiting waiting, long iteration, long nanos) {}

  /**
   * A rank that other ranks wait for.
   *
   * @param heard whether it sends reports; otherwise it is stopped or very slow
   * @param replays whether it repeats its code before the loop
   * @param iteration its iteration; -1 outside of loops
   * @param nanos how long it has been computing or silent
   * @param waiters the ranks that are known to wait for it
   */
  record Awaited(
      int rank,
      boolean heard,
      boolean replays,
      long iteration,
      long nanos,
      List<Integer> waiters) {}
}
