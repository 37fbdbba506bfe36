package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Path;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.run.lifeline.Lifeline;

/**
 * The program of the job that {@code lib/make-aot-caches} records: makes its process load and run
 * what ranks load and run, from the link to the daemon to a recovery.
 */
public final class Rehearsal {
  private Rehearsal() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(System.getenv("FMI_DAEMON_SOCKET")).getParent();
    if (directory == null) {
      throw new IOException("no directory of a node");
    }
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      world.allReduce(new double[1], Op.MAX);
      Lifeline.make(directory).hold(() -> {});
      // Its loop is not one of this job: a checkpoint of the job would call a process to stand by,
      // and that would write to the same record.
      WarmUp.run(directory.resolve("warm-up"));
    }
    System.out.println("rehearsed");
  }
}
