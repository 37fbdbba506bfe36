package org.fmi.core.rank;

import java.util.concurrent.TimeUnit;

/**
 * Notices a program that catches {@link org.fmi.Rollback} and communicates again: it may do so
 * without end, while all others wait for it to go back.
 */
final class CaughtRollbacks {
  /** Of a rank that others wait for, as the end of a sentence that begins with it. */
  static final String TOO_MANY =
      "catches Rollback again and again (in catch Throwable?) instead of going back with the"
          + " others: let Rollback pass";

  /** More than a program's clearing up would meet. */
  private static final int MOST = 1000;

  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);

  private int thrown;
  private long firstNanos;

  /** Whether a rollback that is to be thrown now is one too many since the program went back. */
  boolean oneTooMany(long nanos) {
    if (thrown++ == 0) {
      firstNanos = nanos;
    }
    return thrown > MOST || nanos - firstNanos > LONGEST_NANOS;
  }

  /** The program has gone back. */
  void reset() {
    thrown = 0;
  }
}
