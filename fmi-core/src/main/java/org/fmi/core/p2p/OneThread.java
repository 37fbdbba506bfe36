package org.fmi.core.p2p;

import org.jspecify.annotations.Nullable;

/**
 * Detects calls of two threads at once, if one of them is waiting in a call, and calls of the
 * thread that runs listeners.
 */
final class OneThread {
  private final int rank;
  private final Runnable wakeup;

  /**
   * Whether a thread waits or runs listeners, so that a call usually reads one field. Plain, like
   * the others.
   */
  private boolean watching;

  /** The thread that runs listeners, which may make no calls. */
  private @Nullable Thread listener;

  /** The thread that waits in a call. Plain, as each call reads it: best effort. */
  private @Nullable Thread waiter;

  /** A thread that has made a call during that wait. */
  private @Nullable Thread intruder;

  /**
   * A guard without a waiting thread.
   *
   * @param wakeup wakes the waiting thread
   */
  OneThread(int rank, Runnable wakeup) {
    this.rank = rank;
    this.wakeup = wakeup;
  }

  /**
   * Waits on the caller's thread.
   *
   * @throws IllegalStateException if another thread has made a call during the wait
   */
  void waits(Runnable wait) {
    Thread me = Thread.currentThread();
    waiter = me;
    watching = true;
    try {
      wait.run();
    } finally {
      waiter = null;
      watching = listener != null;
    }
    Thread other = intruder;
    if (other != null) {
      intruder = null;
      throw twoThreads(other, me);
    }
  }

  /** Refuses the calls of a thread that has not started yet. */
  void refuse(Thread thread) {
    listener = thread;
    watching = true;
  }

  /**
   * Refuses a call while another thread waits in one. The waiting call fails too.
   *
   * @throws IllegalStateException if another thread waits, or if this one runs listeners
   */
  void require() {
    if (watching) {
      requireAlone();
    }
  }

  private void requireAlone() {
    requireNoListener();
    Thread waiting = waiter;
    if (waiting != null) {
      Thread me = Thread.currentThread();
      if (!waiting.equals(me)) {
        intruder = me;
        wakeup.run();
        throw twoThreads(me, waiting);
      }
    }
  }

  /**
   * Refuses a call of the thread that runs listeners.
   *
   * @throws IllegalStateException if this is that thread
   */
  void requireNoListener() {
    if (Thread.currentThread().equals(listener)) {
      throw new IllegalStateException(
          "a listener of Fmi.listen communicates at rank "
              + rank
              + ": it runs beside the program, which may be in a call; let it note what it has"
              + " heard, and the program's own thread act on it");
    }
  }

  private IllegalStateException twoThreads(Thread caller, Thread waiting) {
    return new IllegalStateException(
        "two threads of rank "
            + rank
            + " are in calls at once: \""
            + caller.getName()
            + "\" has made one while \""
            + waiting.getName()
            + "\" waits in another: only one thread at a time may, so let one thread communicate,"
            + " or guard all calls by one lock");
  }
}
