package org.fmi.core.rank;

import java.util.concurrent.TimeUnit;

/**
 * Detects a program that catches {@link org.fmi.Rollback} and communicates again: it may do so
 * endlessly, while all other ranks wait for it to roll back.
 */
final class CaughtRollbacks {
  /** A predicate whose subject is the rank. */
  static final String TOO_MANY =
      "catches Rollback repeatedly (in catch Throwable?) while the other ranks wait for it to roll"
          + " back: let Rollback pass";

  /** More often than a program's cleanup would catch it. */
  private static final int MAX_ROLLBACKS = 1000;

  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(5);

  private int thrown;
  private long firstNanos;

  /**
   * Whether a rollback that is about to be thrown is one too many since the program rolled back.
   */
  boolean isOneTooMany(long nanos) {
    if (thrown++ == 0) {
      firstNanos = nanos;
    }
    return thrown > MAX_ROLLBACKS || nanos - firstNanos > MAX_NANOS;
  }

  /** The program has rolled back. */
  void reset() {
    thrown = 0;
  }
}
