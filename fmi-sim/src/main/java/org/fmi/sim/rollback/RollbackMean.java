package org.fmi.sim.rollback;

import org.fmi.sim.failures.FailureMix;
import org.fmi.sim.failures.Grouping;
import org.fmi.sim.failures.NodeFailures;

/**
 * Mean results of runs with one strategy, over seeds.
 *
 * @param failures in a run
 * @param beyondGroups failures that groups did not survive
 * @param again iterations of one host that were computed again, of all hosts
 * @param seconds of a run
 */
public record RollbackMean(double failures, double beyondGroups, double again, double seconds) {
  /**
   * Runs a stencil with a number of seeds.
   *
   * @param done is called after each run
   */
  public static RollbackMean of(
      Stencil stencil,
      Strategy strategy,
      FailureMix mix,
      Grouping grouping,
      int seeds,
      long firstSeed,
      Runnable done) {
    double failures = 0;
    double beyondGroups = 0;
    double again = 0;
    double seconds = 0;
    for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
      RollbackResult run = RollbackRun.of(stencil, strategy, new NodeFailures(mix, grouping), seed);
      failures += run.failures();
      beyondGroups += run.beyondGroups();
      again += run.again();
      seconds += run.seconds();
      done.run();
    }
    return new RollbackMean(failures / seeds, beyondGroups / seeds, again / seeds, seconds / seeds);
  }

  /** Returns the iterations computed again per failure. */
  public double againPerFailure() {
    return failures == 0 ? 0 : again / failures;
  }
}
