package org.fmi.sim.checkpoint;

import java.util.DoubleSummaryStatistics;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.fmi.sim.failures.FailureMix;
import org.fmi.sim.failures.Failures;
import org.fmi.sim.failures.NodeFailures;

/**
 * Results of one job run several times, each from a different seed.
 *
 * @param useful the share of the time that was useful: its mean, least and most
 * @param failures mean number of failures
 * @param fromFiles mean number of rollbacks to files, or to the beginning
 */
public record SimulatedJobs(DoubleSummaryStatistics useful, double failures, double fromFiles) {
  /**
   * Runs a job with these checkpoints.
   *
   * @param done is called after each run
   */
  public static SimulatedJobs run(
      Candidate candidate, FailureMix mix, double work, int count, long firstSeed, Runnable done) {
    return run(
        candidate.levels(),
        _ -> new NodeFailures(mix, candidate.grouping()),
        work,
        count,
        firstSeed,
        done);
  }

  /**
   * Runs a job, each time with new failures.
   *
   * @param done is called after each run
   */
  public static SimulatedJobs run(
      TwoLevels levels,
      LongFunction<Failures> failures,
      double work,
      int count,
      long firstSeed,
      Runnable done) {
    DoubleSummaryStatistics useful = new DoubleSummaryStatistics();
    DoubleSummaryStatistics struck = new DoubleSummaryStatistics();
    DoubleSummaryStatistics fromFiles = new DoubleSummaryStatistics();
    LongStream.range(firstSeed, firstSeed + count)
        .mapToObj(seed -> SimulatedRun.of(levels, failures.apply(seed), work, seed))
        .forEach(
            run -> {
              useful.accept(run.useful());
              struck.accept((double) run.failures());
              fromFiles.accept((double) run.fromFiles());
              done.run();
            });
    return new SimulatedJobs(useful, struck.getAverage(), fromFiles.getAverage());
  }
}
