package org.fmi.examples.farm;

import org.fmi.Comm;

/** Every rank but 0: asks for tasks and computes them. */
final class Worker {
  /** Tag of a worker that asks for a task: the primes of the one before, null in a new round. */
  static final int RESULT = 1;

  /** Tag of an answer to a worker: a task's number, or {@link #NO_MORE}. */
  static final int TASK = 2;

  static final long NO_MORE = -1;
  private static final int MASTER = 0;

  private final Comm world;
  private final int width;

  Worker(Comm world, int width) {
    this.world = world;
    this.width = width;
  }

  /** Computes tasks until the master has no more in this round. */
  void round() {
    long[] task = new long[1];
    world.sendObject(null, MASTER, RESULT);
    world.recv(task, MASTER, TASK);
    while (task[0] != NO_MORE) {
      world.sendObject(compute(task[0], width), MASTER, RESULT);
      world.recv(task, MASTER, TASK);
    }
  }

  /** Finds the primes in a task's range. */
  static Primes compute(long task, int width) {
    return Primes.byDivision(task * width, width);
  }
}
