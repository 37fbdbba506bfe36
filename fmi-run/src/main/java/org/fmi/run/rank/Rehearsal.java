package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Path;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.run.lifeline.Lifeline;

/**
 * The program of the job that {@code lib/make-aot-caches} records: makes fmirun, its daemon and
 * rank 0 load and run the code of other jobs, from their start to a recovery. Rank 1 exists to be
 * lost.
 */
public final class Rehearsal {
  private static final int ITERATIONS = 4;

  private Rehearsal() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(System.getenv("FMI_DAEMON_SOCKET")).getParent();
    if (directory == null) {
      throw new IOException("no directory of a node");
    }
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      double[] state = new double[1];
      fmi.loop(ITERATIONS, _ -> world.allReduce(state, Op.MAX), state);
      if (world.rank() == 0) {
        Lifeline.make(directory).hold(() -> {});
        WarmUp.run(directory.resolve("warm-up"));
        System.out.println("rehearsed");
      }
    }
  }
}
