package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.spi.FaultPoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that continue without lost ranks. What must hold is what {@link ShrinkOracle} says. */
final class ShrinkSimulationTest {
  private static final int SEEDS = 150;

  private static FaultSpec inAgreement(int rank, int number) {
    return new FaultSpec(false, rank, false, FaultPoint.AGREE, number);
  }

  private JobSimulation run(long seed, int size, FaultSpec... faults) {
    Shape shape = Shape.plain(size, 0, OnNoSpare.ABORT).withShrink().withFaults(faults);
    JobSimulation job = new JobSimulation(seed, shape);
    Outcome outcome = job.run();
    Judge.Verdict verdict = job.judge(outcome, 0);
    assertThat(verdict.allowed()).as("%s: %s\n%s", outcome, verdict, job.story()).isTrue();
    return job;
  }

  private static List<Integer> dead(JobSimulation job) {
    return job.notices(Notice.Died.class).stream().map(Notice.Died::rank).toList();
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 3", "2, 1", "3, 8"})
  void aRankDiesInAnAgreement(int rank, int number) {
    JobSimulation job = run(7, 4, inAgreement(rank, number));
    assertThat(dead(job)).containsExactly(rank);
    assertThat(job.notices(Notice.RecoveryBegun.class)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void ranksDieWhileAnAgreementIsOpenAndSpreads(long seed) {
    JobSimulation job = run(seed, 6, inAgreement(0, 1), inAgreement(1, 1), inAgreement(2, 2));
    assertThat(dead(job)).containsExactlyInAnyOrder(0, 1, 2);
  }

  @Test
  void whereAllDieTheJobFails() {
    Shape shape =
        Shape.plain(2, 0, OnNoSpare.ABORT)
            .withShrink()
            .withFaults(inAgreement(0, 1), inAgreement(1, 2));
    JobSimulation job = new JobSimulation(1, shape);
    Outcome outcome = job.run();
    assertThat(outcome.cause()).isEqualTo(EndCause.ALL_LOST);
    assertThat(outcome.status()).isEqualTo(137);
    assertThat(job.judge(outcome, 0).allowed()).isTrue();
  }

  @Test
  void schedulesEndAsTheyMay() {
    Answers answers = new Answers();
    for (long seed = 0; seed < SEEDS; seed++) {
      Result result = Schedule.ofShrink(seed).run(answers);
      assertThat(result.verdict().allowed()).as("%s", result).isTrue();
    }
  }
}
