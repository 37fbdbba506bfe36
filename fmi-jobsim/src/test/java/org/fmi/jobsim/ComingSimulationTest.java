package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.Notice;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Shape;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that a user adds to a job that runs. */
final class ComingSimulationTest {
  private static final int RANKS = 4;
  private static final int SEEDS_OF_A_SCENARIO = 2;

  private final Answers answers = new Answers();

  /** Node 1 is lost; a node is added when its rank shares another one. */
  @Test
  void aRankThatSharesANodeMovesToTheAddedOne() {
    JobSimulation job =
        new JobSimulation(
            1, Shape.plain(RANKS, 0, OnNoSpare.SHARE), SimModel.calm(), Workload::run);
    job.losesWhen(Notice.CheckpointCommitted.class::isInstance, 1);
    job.comesWhen(n -> n instanceof Notice.AllRunning running && running.epoch() == 1);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(RANKS));
    assertThat(job.notices())
        .as(job.story())
        .anyMatch(n -> n instanceof Notice.Respawned r && r.node() == RANKS)
        .filteredOn(Notice.RecoveryBegun.class::isInstance)
        .hasSize(2);
  }

  /** Failures at all times: before the node is there, and while ranks move to it. */
  @ParameterizedTest
  @EnumSource(Scenario.class)
  void failuresBesideItAreSurvivedAsEver(Scenario scenario) {
    for (long seed = 0; seed < SEEDS_OF_A_SCENARIO; seed++) {
      Schedule schedule = Schedule.of(37L * scenario.name().hashCode() + seed, scenario);
      JobSimulation job = schedule.prepare();
      job.comesWhen(Notice.CheckpointCommitted.class::isInstance);
      Result result = schedule.judge(job, answers);
      assertThat(result.verdict().allowed()).as("%s", result).isTrue();
    }
  }
}
