package org.fmi.run.e2e;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.fmi.Fmi;

/** A program whose ranks tell at the end on which cores they are. */
public final class BoundProgram {
  private BoundProgram() {}

  public static void main(String[] args) {
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
    }
    System.out.println("rank " + rank + " on " + PlainProgram.cores());
  }
}
