package org.fmi.run.e2e;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Slice;
import org.fmi.metrics.FmiMetrics;

/**
 * Sends a token around for ever, now and then, and counts that with meters of its own. Of use where
 * a job only has to be there: it leaves the cores to whoever looks at it.
 */
public final class MeteredProgram {
  private static final long PAUSE_MS = 20;

  private MeteredProgram() {}

  public static void main(String[] args) {
    try (Fmi fmi = Fmi.init(args)) {
      Comm world = fmi.world();
      Counter rounds = FmiMetrics.of(fmi).counter("program.rounds");
      Timer time = FmiMetrics.of(fmi).timer("program.step", "of", "ring");
      long[] token = {world.rank()};
      fmi.loop(
          Long.MAX_VALUE,
          _ -> {
            Thread.sleep(PAUSE_MS);
            time.record(() -> exchange(world, token));
            rounds.increment();
          },
          token);
    }
  }

  private static void exchange(Comm world, long[] token) {
    long[] sent = token.clone();
    int right = (world.rank() + 1) % world.size();
    int left = (world.rank() + world.size() - 1) % world.size();
    world.sendRecv(Slice.of(sent, 0, 1), right, 0, Slice.of(token, 0, 1), left, 0);
  }
}
