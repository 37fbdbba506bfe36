package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.Notice;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Shape;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.junit.jupiter.api.Test;

/** Simulated jobs of which only failed ranks go back. */
final class LocalRollbackSimulationTest {
  private static final int SIZE = 4;

  private static Shape ranks() {
    return Shape.plain(SIZE, 1, OnNoSpare.ABORT)
        .withInterval(new CheckpointInterval.Every(4))
        .withLocalRollback(1 << 20);
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  private static <T> List<T> notices(JobSimulation job, Class<T> type, Predicate<T> which) {
    return job.notices().stream()
        .filter(type::isInstance)
        .map(type::cast)
        .filter(which)
        .toList();
  }

  private static JobSimulation finished(Shape shape) {
    JobSimulation job = new JobSimulation(3, shape);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(new Answers().of(shape));
    return job;
  }

  @Test
  void onlyTheFailedRankRepeatsIterations() {
    JobSimulation job = finished(ranks().withFaults(kill(2, FaultPoint.ITERATION, 7)));

    assertThat(notices(job, Notice.GoBack.class, n -> true))
        .containsExactly(new Notice.GoBack(1, "[2]", ""));
    assertThat(notices(job, Notice.GoesOn.class, n -> true))
        .extracting(Notice.GoesOn::rank)
        .containsExactlyInAnyOrder(0, 1, 3);
    assertThat(notices(job, Notice.CaughtUp.class, n -> true))
        .singleElement()
        .satisfies(
            n -> {
              assertThat(n.rank()).isEqualTo(2);
              assertThat(n.from()).isEqualTo(4);
              assertThat(n.repeated()).isEqualTo(3);
            });
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }
}
