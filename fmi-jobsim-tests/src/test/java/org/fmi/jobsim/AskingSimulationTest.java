package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.control.Notice;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that a job asks for when it has none. */
final class AskingSimulationTest {
  private static final int RANKS = 4;
  private static final long ANSWER_NANOS = 20_000_000;
  private static final int MILLIS_OF_A_SCENARIO = 50;

  private final Answers answers = new Answers();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRankWithoutANodeGetsTheGrantedOneAndSharesOneElse(boolean granted) {
    JobSimulation job =
        new JobSimulation(
            1,
            Shape.plain(RANKS, 0, OnNoSpare.SHARE).withRequests(),
            SimModel.calm(),
            ComingSimulationTest.LOSES_NODE_1);
    job.lender().answers(ANSWER_NANOS, granted);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(ComingSimulationTest.ANSWER);
    assertThat(outcome.recoveries()).as(job.story()).isEqualTo(1);
    assertThat(job.lender().requests()).isEqualTo(1);
    assertThat(
            job.notices().stream()
                .anyMatch(n -> n instanceof Notice.Respawned r && r.node() == RANKS))
        .as(job.story())
        .isEqualTo(granted);
  }

  /** Failures at all times: while it waits for the answer, and for the node. */
  @ParameterizedTest
  @EnumSource(Scenario.class)
  void failuresBesideItAreSurvivedAsEver(Scenario scenario) {
    Seeds.forMillis(
        MILLIS_OF_A_SCENARIO,
        seed -> {
          Schedule schedule = Schedule.of(seed, scenario).asking();
          JobSimulation job = schedule.prepare();
          boolean soon = seed % 2 == 0;
          job.lender().answers(soon ? ANSWER_NANOS >> 10 : ANSWER_NANOS, soon);
          FinishedJob.assertAllowed(schedule.judge(job, answers));
        });
  }
}
