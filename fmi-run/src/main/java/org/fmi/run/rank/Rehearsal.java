package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Path;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;

/**
 * The program of the job that {@code lib/make-aot-caches} records: makes its process load and run
 * what ranks load and run, from the link to the daemon to a recovery.
 */
public final class Rehearsal {
  private static final int ITERATIONS = 3;
  private static final int STATE = 1000;

  private Rehearsal() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(System.getenv("FMI_DAEMON_SOCKET")).getParent();
    if (directory == null) {
      throw new IOException("no directory of a node");
    }
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      double[] state = new double[STATE];
      double[] sum = new double[1];
      fmi.loop(ITERATIONS, iteration -> world.allReduce(sum, Op.MAX), state);
      WarmUp.run(directory);
    }
    System.out.println("rehearsed");
  }
}
