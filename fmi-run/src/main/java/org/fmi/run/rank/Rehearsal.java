package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Path;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.run.lifeline.Lifeline;

/**
 * The program of the job that {@code lib/make-aot-caches} records, of two ranks: makes their
 * processes load and run what ranks load and run, from the link to the daemon to a recovery, and
 * send and reduce messages of all sizes long enough to be compiled, so that the cache knows how.
 */
public final class Rehearsal {
  private static final int LARGEST = 4 << 20;
  private static final double SECONDS = 2; // in the job
  private static final double SECONDS_OF_WARM_UP = 0.3; // in each of its iterations
  private static final int TAG = 1;

  private Rehearsal() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(System.getenv("FMI_DAEMON_SOCKET")).getParent();
    if (directory == null) {
      throw new IOException("no directory of a node");
    }
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      fmi.loop(1, iteration -> sweep(world, SECONDS), new long[1]);
      if (world.rank() == 0) {
        Lifeline.make(directory).hold(() -> {});
        WarmUp.run(
            directory.resolve("warm-up"),
            ranks -> {
              WarmUp.communicate(ranks);
              sweep(ranks, SECONDS_OF_WARM_UP);
            });
        System.out.println("rehearsed by " + ProcessHandle.current().pid());
      }
    }
  }

  /** Between the first rank and the last one, while there is time. */
  private static void sweep(Comm world, double seconds) {
    byte[] bytes = new byte[LARGEST];
    double[] doubles = new double[LARGEST / Double.BYTES];
    double[] sums = new double[doubles.length];
    double[] spent = new double[1];
    long begin = System.nanoTime();
    do {
      for (int size = 1; size <= LARGEST; size *= 4) {
        int times = Math.max(1, (64 << 10) / size);
        exchange(world, bytes, size, Math.min(times, 1000));
        int count = size / Double.BYTES;
        exchange(world, doubles, count, Math.min(times, 1000));
        for (int i = 0; i < Math.min(times, 200); i++) {
          world.allReduce(doubles, 0, sums, 0, count, Op.SUM);
          world.bcast(doubles, 0, count, 0);
          world.barrier();
        }
      }
      spent[0] = (System.nanoTime() - begin) / 1e9;
      world.allReduce(spent, Op.MAX);
    } while (spent[0] < seconds);
  }

  private static void exchange(Comm world, Object buffer, long count, int times) {
    int last = world.size() - 1;
    for (int i = 0; i < times; i++) {
      if (world.rank() == 0) {
        world.send(buffer, 0, count, last, TAG);
        world.recv(buffer, 0, count, last, TAG);
      } else if (world.rank() == last) {
        world.recv(buffer, 0, count, 0, TAG);
        world.send(buffer, 0, count, 0, TAG);
      }
    }
  }
}
