package org.fmi.examples.farm;

import org.fmi.Comm;

/** Every rank but 0: asks for tasks and computes them. */
final class Worker {
  /** Tag of a worker that has no result yet in this round. */
  static final int ASK = 1;

  /** Tag of a worker that has computed its task and asks for another one. */
  static final int RESULT = 2;

  /** Tag of an answer to a worker: a task's number, or {@link #NO_MORE}. */
  static final int TASK = 3;

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
    world.send(new double[2], MASTER, ASK);
    world.recv(task, MASTER, TASK);
    while (task[0] != NO_MORE) {
      world.send(compute(task[0], width), MASTER, RESULT);
      world.recv(task, MASTER, TASK);
    }
  }

  /** Computes the number of primes in a task's range, and the sum of their reciprocals. */
  static double[] compute(long task, int width) {
    Primes primes = Primes.byDivision(task * width, width);
    return new double[] {primes.count(), primes.reciprocals()};
  }
}
