package org.fmi.run.flush;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Limits a flow to a number of bytes per second; after a pause, lets a tenth of a second's bytes
 * through at once.
 */
final class Pace {
  private static final long MOST_SAVED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final long bytesPerSecond;
  private final Runnable waited;

  /** The time at which all taken bytes are paid for. */
  private long paidNanos;

  /**
   * @param bytesPerSecond 0 for no limit
   * @param nanos the time
   * @param waited called after each wait, because a deliberate wait is not a hang
   */
  Pace(long bytesPerSecond, long nanos, Runnable waited) {
    this.bytesPerSecond = bytesPerSecond;
    this.waited = waited;
    this.paidNanos = nanos;
  }

  /** Takes bytes, and returns the nanoseconds to wait before they are used. */
  long take(long bytes, long nanos) {
    if (bytesPerSecond == 0) {
      return 0;
    }
    long due = Math.max(0, paidNanos - (nanos - MOST_SAVED_NANOS)) + nanos - MOST_SAVED_NANOS;
    paidNanos = due + Math.round(1e9 * bytes / bytesPerSecond);
    return Math.max(0, due - nanos);
  }

  /** Takes bytes, and waits as long as necessary. */
  void take(long bytes) throws InterruptedIOException {
    long nanos = take(bytes, System.nanoTime());
    if (nanos > 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(nanos);
        waited.run();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException();
      }
    }
  }
}
