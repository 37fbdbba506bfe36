package org.fmi.bench;

import java.util.concurrent.TimeUnit;
import org.fmi.Fmi;

/** Ranks that wait for rank 0, which sleeps, for {@code bench/status}. */
public final class Waiting {
  private Waiting() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      fmi.loop(
          1,
          iteration -> {
            if (fmi.world().rank() == 0) {
              TimeUnit.DAYS.sleep(1);
            }
            fmi.world().barrier();
          },
          new long[1]);
    }
  }
}
