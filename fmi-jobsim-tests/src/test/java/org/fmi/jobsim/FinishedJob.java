package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.spi.FaultPoint;

/** Simulated jobs that must end with the answer of an undisturbed one. */
final class FinishedJob {
  private static final Answers ANSWERS = new Answers();

  private FinishedJob() {}

  static JobSimulation of(long seed, Shape shape) {
    return run(new JobSimulation(seed, shape), shape);
  }

  /** Rank 0 dies as soon as all run again after the first failure. */
  static JobSimulation ofAnotherFailure(long seed, Shape shape) {
    JobSimulation job = new JobSimulation(seed, shape);
    job.killWhen(n -> n instanceof Notice.AllRunning r && r.epoch() == 1, 0);
    return run(job, shape);
  }

  /** Of a job that was made ready. */
  static JobSimulation run(JobSimulation job, Shape shape) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(ANSWERS.of(shape));
    return job;
  }

  /** From an iteration at which an overlapped checkpoint is due to what comes behind its commit. */
  static Stream<FaultPoint> placesOfALine() {
    return Stream.of(
        FaultPoint.CHECKPOINT,
        FaultPoint.BEGUN,
        FaultPoint.COLLECT,
        FaultPoint.COLLECTED,
        FaultPoint.ENCODE,
        FaultPoint.COMMIT,
        FaultPoint.AGREE,
        FaultPoint.COMMITTED,
        FaultPoint.ITERATION);
  }

  /** Every second rank dies at a place; with one of them at least that comes to be. */
  static void survivesDeaths(Shape shape, FaultPoint point, long iteration) {
    int died = 0;
    for (int victim = 0; victim < shape.size(); victim += 2) {
      FaultSpec kill = new FaultSpec(false, victim, false, point, iteration);
      died += of(victim, shape.withFaults(kill)).faultsLeft().isEmpty() ? 1 : 0;
    }
    assertThat(died).isPositive();
  }

  /** Of a schedule: it has ended as it may. */
  static void assertAllowed(Result result) {
    assertThat(result.verdict().allowed()).as("%s", result).isTrue();
  }
}
