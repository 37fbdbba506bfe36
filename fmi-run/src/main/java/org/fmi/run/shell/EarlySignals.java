package org.fmi.run.shell;

/**
 * Signals to end that arrive while fmirun prepares a job, and no job can handle them yet. The first
 * one interrupts the preparing thread, which cleans up and ends fmirun; a second one ends fmirun at
 * once, because what cannot be interrupted, such as a read from a file server that hangs, could
 * take forever.
 */
final class EarlySignals {
  /** The number that a shell adds to a signal's number in a status. */
  static final int STATUS = 128;

  private final Thread preparing = Thread.currentThread();
  private boolean prepared;
  private int first;

  /** Handles a signal. Any thread. */
  synchronized void arrived(int signal) {
    if (first != 0) {
      // Not on this thread: the exit waits for hooks, which may wait for this object.
      Thread.ofPlatform().name("fmi-second-signal").start(() -> System.exit(STATUS + signal));
      return;
    }
    first = signal;
    if (!prepared) {
      preparing.interrupt();
    }
  }

  /**
   * Ends the preparation, on its thread, which is not interrupted from now on.
   *
   * @return the first signal, 0 if none has arrived
   */
  synchronized int prepared() {
    prepared = true;
    boolean _ = Thread.interrupted();
    return first;
  }

  /** Returns the first signal, 0 if none has arrived. */
  synchronized int first() {
    return first;
  }
}
