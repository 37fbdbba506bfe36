package org.fmi.spi;

/**
 * A rank's time, and the place where its application's thread waits for results of its other
 * threads (control plane, failure detector). Injected, so that a simulation can replace both.
 *
 * <p>The way to wait for a condition that another thread makes true:
 *
 * <pre>
 *   application's thread                         other thread
 *   while (!condition) {                         condition = true; // a volatile write or stronger
 *     clock.await(maxNanos);                     clock.wakeup();
 *   }
 * </pre>
 */
public interface RankClock {
  /** Nanoseconds since an arbitrary moment, as {@link System#nanoTime}; only differences count. */
  long nanoTime();

  /**
   * Blocks until {@link #wakeup} is called or {@code maxNanos} have passed, whichever is first;
   * returns at once if {@code maxNanos} is not positive. A wakeup since the last await returned
   * counts, once. May return early. Called by the application's thread only.
   *
   * @param maxNanos {@link Long#MAX_VALUE} for no limit
   */
  void await(long maxNanos);

  /** Ends {@link #await} now, or the next one at once. Never blocks. Any thread. */
  void wakeup();
}
