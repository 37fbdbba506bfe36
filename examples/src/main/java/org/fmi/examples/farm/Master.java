package org.fmi.examples.farm;

import org.fmi.Comm;
import org.fmi.Message;

/** Rank 0: gives each task of a round to the worker that asks next. */
final class Master {
  private final Comm world;
  private final int tasks;
  private final int width;

  /** The task that each rank computes; used within a round only. */
  private final int[] given;

  Master(Comm world, int tasks, int width) {
    this.world = world;
    this.tasks = tasks;
    this.width = width;
    given = new int[world.size()];
  }

  /**
   * Lets the workers compute a round, and adds its results to {@code totals}: the number of primes
   * and the sum of their reciprocals. Who computes what differs from run to run. The sum does not:
   * results are kept by task, and added in the order of tasks when all are there.
   */
  void round(long round, double[] totals) {
    Primes[] results = new Primes[tasks];
    if (world.size() == 1) {
      for (int task = 0; task < tasks; task++) {
        results[task] = Worker.compute(round * tasks + task, width);
      }
    } else {
      handOut(round, results);
    }
    for (Primes result : results) {
      totals[0] += result.count();
      totals[1] += result.reciprocals();
    }
  }

  /** Answers every worker until each one knows that the round is over. */
  private void handOut(long round, Primes[] results) {
    int next = 0;
    int working = world.size() - 1;
    while (working > 0) {
      Message message = world.mprobe(Comm.ANY_SOURCE, Worker.RESULT);
      int worker = message.status().source();
      Primes result = message.recvObject(Primes.class);
      if (result != null) { // else the worker has none yet
        results[given[worker]] = result;
      }
      if (next < tasks) {
        given[worker] = next;
        world.send(new long[] {round * tasks + next}, worker, Worker.TASK);
        next++;
      } else {
        world.send(new long[] {Worker.NO_MORE}, worker, Worker.TASK);
        working--;
      }
    }
  }
}
