package org.fmi.jobsim;

import java.util.function.ToLongFunction;
import org.fmi.Fmi;
import org.fmi.jobsim.JobSimulation.Program;

/**
 * A program whose last hundred iterations take a hundred times as long as the earlier ones, and
 * that loses rank 1 whenever it has begun eight of them: it never reaches a checkpoint there at the
 * old interval.
 */
final class LosesARankAgain {
  static final int ITERATIONS = 600;

  private static final int SLOW_FROM = 500;
  private static final long MILLIS = 1_000_000;

  private LosesARankAgain() {}

  /**
   * @param share what an iteration adds to the answer
   */
  static Program adding(ToLongFunction<Fmi> share) {
    return (fmi, process, cluster) -> {
      long[] sum = new long[1];
      int[] slowOnes = {0};
      fmi.loop(
          ITERATIONS,
          n -> {
            boolean slow = n >= SLOW_FROM;
            process.compute(slow ? 100 * MILLIS : MILLIS);
            sum[0] += share.applyAsLong(fmi);
            if (slow && process.rank() == 1 && ++slowOnes[0] == 8) {
              cluster.faults().crash(1);
              process.compute(1);
            }
          },
          sum);
      return sum[0];
    };
  }
}
