package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.control.Notice;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that live, and will be lost before long: their ranks leave them behind a checkpoint. */
final class LeavingSimulationTest {
  private static final int RANKS = 4;
  private static final int SEEDS_OF_A_SCENARIO = 2;

  private final Answers answers = new Answers();

  private static JobSimulation job(int spares) {
    JobSimulation job =
        new JobSimulation(
            1, Shape.plain(RANKS, spares, OnNoSpare.SHARE), SimModel.calm(), Workload::run);
    job.leavesWhen(Notice.AllRunning.class::isInstance, 1);
    return job;
  }

  private void assertFinished(JobSimulation job) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(RANKS));
  }

  @Test
  void ranksMoveToTheSpareAtTheCostOfOneRecovery() {
    JobSimulation job = job(1);
    assertFinished(job);
    assertThat(job.notices())
        .as(job.story())
        .anyMatch(n -> n instanceof Notice.Respawned r && r.rank() == 1 && r.node() == RANKS)
        .filteredOn(Notice.RecoveryBegun.class::isInstance)
        .hasSize(1);
  }

  @Test
  void ranksStayIfThereIsNoSpare() {
    JobSimulation job = job(0);
    assertFinished(job);
    assertThat(job.notices()).as(job.story()).noneMatch(Notice.RecoveryBegun.class::isInstance);
  }

  /** The node that was left lives, and is empty. */
  @ParameterizedTest
  @EnumSource
  void aNodeThatWasLeftIsUsedBeforeTheJobEnds(OnNoSpare policy) {
    JobSimulation job =
        new JobSimulation(1, Shape.plain(RANKS, 1, policy), SimModel.calm(), Workload::run);
    job.leavesWhen(Notice.AllRunning.class::isInstance, 1);
    job.inject(FaultPlan.of(new FaultPlan.Step(FaultPlan.Kind.CRASH_NODE, 0, 0, 0, 7_000, 0)));
    assertFinished(job);
    assertThat(job.injected()).isEqualTo(1);
    assertThat(job.notices())
        .as(job.story())
        .anyMatch(n -> n instanceof Notice.Respawned r && r.rank() == 1 && r.node() == RANKS)
        .anyMatch(n -> n instanceof Notice.Respawned r && r.rank() == 0);
  }

  /** A loss beside it, while the group rebuilds what is still whole on the node that was left. */
  @Test
  void aLossWhileTheyMoveSendsThemBack() {
    JobSimulation job =
        new JobSimulation(
            1, Shape.plain(RANKS, 2, OnNoSpare.ABORT), SimModel.calm(), Workload::run);
    job.leavesWhen(Notice.AllRunning.class::isInstance, 1);
    job.loseWhen(n -> n instanceof Notice.Respawned r && r.rank() == 1, 0);
    assertFinished(job);
    assertThat(job.notices())
        .as(job.story())
        .anyMatch(n -> n instanceof Notice.Degraded d && d.what().startsWith("rank 1 returns"));
  }

  @Test
  void aNodeThatStaysAfterAllIsNotLeft() {
    JobSimulation job = job(1);
    job.staysWhen(n -> n instanceof Notice.Degraded d && d.what().contains("is about to be lost"));
    assertFinished(job);
    assertThat(job.notices()).as(job.story()).noneMatch(Notice.RecoveryBegun.class::isInstance);
  }

  /**
   * Failures at all times: before the ranks move, and while they do. Other seeds lose one more node
   * of a group before it has its checkpoints back, which costs the job (docs/operating.md).
   */
  @ParameterizedTest
  @EnumSource(Scenario.class)
  void failuresBesideItAreSurvivedAsEver(Scenario scenario) {
    for (long seed = 0; seed < SEEDS_OF_A_SCENARIO; seed++) {
      Schedule schedule = Schedule.of(31L * scenario.name().hashCode() + seed, scenario);
      JobSimulation job = schedule.prepare();
      job.leavesWhen(Notice.CheckpointCommitted.class::isInstance, 0);
      FinishedJob.assertAllowed(schedule.judge(job, answers));
    }
  }
}
