package org.fmi.run.e2e;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.fmi.Fmi;

/**
 * A program whose ranks tell on which cores the thread that calls {@code Fmi.init} is and on which
 * all others are, at the end of their loop and after {@code Fmi.close}.
 */
public final class BoundProgram {
  private static final Path SELF = Path.of("/proc/thread-self");

  private BoundProgram() {}

  public static void main(String[] args) throws IOException {
    String during;
    int rank;
    try (Fmi fmi = Fmi.init(args)) {
      rank = fmi.world().rank();
      fmi.loop(
          60,
          iteration -> {
            fmi.world().barrier();
            // Leaves time for a process that stands by.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
          },
          new long[1]);
      String own = SELF.toRealPath().getFileName().toString();
      during =
          "its thread on "
              + PlainProgram.cores(SELF)
              + ", others on "
              + PlainProgram.coresOfThreadsBut(own);
    }
    System.out.println(
        "rank " + rank + ": " + during + ", at the end on " + PlainProgram.cores(SELF));
  }
}
