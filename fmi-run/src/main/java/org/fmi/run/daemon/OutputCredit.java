package org.fmi.run.daemon;

import java.util.function.BooleanSupplier;

/** How many bytes of output may be sent to fmirun before it has written some. Any thread. */
final class OutputCredit {
  /** Negative while more was sent than that. */
  private long bytes;

  OutputCredit(long bytes) {
    this.bytes = bytes;
  }

  /**
   * Takes as many; waits until there are, or until it need not.
   *
   * @param atOnce whether it need not wait (any more); asked again after {@link #lookAgain}
   */
  synchronized void take(long count, BooleanSupplier atOnce) throws InterruptedException {
    while (bytes < count && !atOnce.getAsBoolean()) {
      wait();
    }
    bytes -= count;
  }

  synchronized void give(long count) {
    bytes += count;
    notifyAll();
  }

  /** Some of those who wait may need to no more. */
  synchronized void lookAgain() {
    notifyAll();
  }
}
