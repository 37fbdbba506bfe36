package org.fmi.logring;

/**
 * Links that keep time for their owner: it sends the heartbeats, and decides who is silent. A
 * silent neighbour's link stays.
 */
public interface HeartLinks extends RingLinks {
  /** The time; only differences count. */
  long nanoTime();

  /** Runs a task on the thread after a delay; drops it after {@link #close}. */
  void after(long nanos, Runnable task);

  /** The number of timeouts for which a neighbour may be silent. */
  int patience(int peer);
}
