package org.fmi.core.p2p;

import org.jspecify.annotations.Nullable;

/** Detects calls of two threads at once, if one of them is waiting in a call. */
final class OneThread {
  private final int rank;
  private final Runnable wakeup;

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
    try {
      wait.run();
    } finally {
      waiter = null;
    }
    Thread other = intruder;
    if (other != null) {
      intruder = null;
      throw twoThreads(other, me);
    }
  }

  /**
   * Refuses a call while another thread waits in one. The waiting call fails too.
   *
   * @throws IllegalStateException if another thread waits
   */
  void require() {
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
