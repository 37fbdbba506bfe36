package org.fmi.sim.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.sim.failures.FailureMix;
import org.junit.jupiter.api.Test;

final class AdvisorTest {
  private static final Machine NO_FILES = new Machine(20e9, 4e9, 0, 0.05, 1);
  private static final Machine SLOW_FILES = new Machine(20e9, 4e9, 1e9, 0.05, 1);
  private static final JobShape JOB = new JobShape(128, 1, 1e9, 86400);
  private static final FailureMix OFTEN = FailureMix.single().withJobMtbf(3600, 128);
  private static final double ANY = Double.POSITIVE_INFINITY;

  private static Candidate best(JobShape job, Machine machine, FailureMix mix, double memory) {
    return Advisor.best(new Advisor(job, machine, mix, memory).candidates(0, -1));
  }

  @Test
  void whereSingleNodesFailOneLossIsEnough() {
    Candidate best = Advisor.best(new Advisor(JOB, NO_FILES, OFTEN, ANY).candidates(16, -1));
    assertThat(best.grouping().losses()).isEqualTo(1);
    assertThat(best.useful()).isBetween(0.95, 1.0);
    assertThat(best.memoryMtbf()).isBetween(3600.0, 3700.0);
  }

  @Test
  void filesAreWrittenAsOftenAsWhatOnlyTheySurviveComes() {
    FailureMix together = FailureMix.tsubame2().withJobMtbf(3600, 128);
    Candidate best = best(JOB, SLOW_FILES, together, ANY);
    assertThat(best.filesMtbf()).isGreaterThan(4 * best.memoryMtbf());
    assertThat(best.levels().files())
        .satisfies(files -> assertThat(files.latency()).isLessThan(best.levels().filesInterval()));
    assertThat(best.levels().memoryInterval()).isLessThan(best.levels().filesInterval());
  }

  @Test
  void memoryThatIsThereLimitsTheChoice() {
    List<Candidate> all = new Advisor(JOB, NO_FILES, OFTEN, 2.2e9).candidates(0, -1);
    assertThat(all).isNotEmpty().allMatch(c -> c.memoryBytes() <= 2.2e9);
    assertThat(new Advisor(JOB, NO_FILES, OFTEN, 1e9).candidates(0, -1)).isEmpty();
  }

  @Test
  void whatIsAskedForAloneIsCompared() {
    List<Candidate> all = new Advisor(JOB, NO_FILES, OFTEN, ANY).candidates(8, 2);
    assertThat(all).singleElement().matches(c -> c.groupSize() == 8 && c.grouping().losses() == 2);
  }

  @Test
  void oneNodeHasNoGroups() {
    JobShape job = new JobShape(4, 4, 1e6, 3600);
    List<Candidate> all =
        new Advisor(job, NO_FILES, FailureMix.single().withJobMtbf(3600, 1), ANY).candidates(0, -1);
    assertThat(all).singleElement().matches(c -> c.grouping().losses() == 0);
  }

  /** Largest groups that codes of two and three losses allow. */
  @Test
  void groupsAreNoLargerThanTheirCodeAllows() {
    List<Candidate> all =
        new Advisor(new JobShape(1024, 1, 1e6, 3600), NO_FILES, OFTEN, ANY).candidates(512, -1);
    assertThat(all).extracting(c -> c.grouping().losses()).containsExactly(0, 1);
  }
}
