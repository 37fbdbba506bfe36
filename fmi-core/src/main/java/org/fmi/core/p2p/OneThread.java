package org.fmi.core.p2p;

import org.jspecify.annotations.Nullable;

/** Refuses calls of two threads at once, as far as that is noticed: one of them waits in a call. */
final class OneThread {
  private final int rank;
  private final Runnable wakeup;

  /** The thread that waits in a call now. Plain, as it is read in each call: best effort. */
  private @Nullable Thread waiter;

  /** A thread that has made a call meanwhile. */
  private @Nullable Thread intruder;

  /**
   * Nobody waits.
   *
   * @param wakeup wakes the thread that waits
   */
  OneThread(int rank, Runnable wakeup) {
    this.rank = rank;
    this.wakeup = wakeup;
  }

  /**
   * Waits on the caller's thread.
   *
   * @throws IllegalStateException if another thread has made a call meanwhile
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
   * Refuses a call while another thread waits in one, which is refused too.
   *
   * @throws IllegalStateException if so
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
