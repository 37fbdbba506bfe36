package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.control.Notice;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.FaultPlan.Step;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Daemons that are killed on hosts that live. */
final class LostDaemonsSimulationTest {
  private static final int RANKS = 4;
  private static final int SEEDS = 20;

  /** In primitives, of which such a job has some 10,000, and more with recoveries. */
  private static final int[] GAPS = {1, 300, 2_000, 4_000};

  private static Step killed(int node, long gap) {
    return new Step(Kind.KILL_DAEMON, node, 0, 0, gap, 0);
  }

  /** Before there is a checkpoint, after it, and again in the recovery or after that. */
  @ParameterizedTest
  @EnumSource
  void theOnlyNodeOfAJobIsUsedAgain(OnNoSpare policy) {
    Shape shape = Shape.plain(RANKS, 0, policy).withRanksPerNode(RANKS);
    int killed = 0;
    for (int first : GAPS) {
      for (int second : GAPS) {
        JobSimulation job = new JobSimulation(first + second, shape);
        job.inject(FaultPlan.of(killed(0, first), killed(0, second)));
        FinishedJob.run(job, shape);
        killed += job.injected();
        assertThat(job.notices(Notice.NodeFailed.class)).as(job.story()).hasSize(job.injected());
      }
    }
    assertThat(killed).isGreaterThan(GAPS.length * GAPS.length);
  }

  /** The checkpoints of a node with a rank of each group are not given up for a lost node's. */
  @ParameterizedTest
  @CsvSource({"300", "3000"})
  void aNodeWithoutADaemonIsUsedAgainIfAnotherOneOfItsGroupIsLost(int gap) {
    Shape shape = Shape.plain(RANKS, 1, OnNoSpare.ABORT).withGroupLosses(1);
    JobSimulation job = new JobSimulation(gap, shape);
    job.inject(
        FaultPlan.of(
            new Step(Kind.CRASH_NODE, 1, 0, 0, gap, Long.MAX_VALUE),
            new Step(Kind.KILL_DAEMON, 2, 0, 5_000_000, 0, 0)));
    FinishedJob.run(job, shape);
    assertThat(job.injected()).isEqualTo(2);
  }

  /** The ranks of the first have another place; its group loses another node before it is used. */
  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"CRASH_NODE", "POWER_OFF"})
  void checkpointsOfAReplacedNodeAreKeptUntilItsGroupHasOthers(Kind loss) {
    Shape shape = Shape.plain(RANKS, 2, OnNoSpare.ABORT).withGroupLosses(1);
    int returned = 0;
    for (long first : new long[] {3_000, 9_000}) {
      for (long nanos : new long[] {1, 300_000, 3_000_000, 10_000_000}) {
        JobSimulation job = new JobSimulation(first + nanos, shape);
        job.inject(FaultPlan.of(killed(0, first), new Step(loss, 1, 0, nanos, 0, Long.MAX_VALUE)));
        FinishedJob.run(job, shape);
        assertThat(job.injected()).isEqualTo(2);
        returned +=
            job.notices(Notice.Respawned.class).stream()
                    .anyMatch(n -> n.rank() == 0 && n.node() == 0)
                ? 1
                : 0;
      }
    }
    assertThat(returned).isPositive();
  }

  /** It is known only from another daemon that does not come up. */
  @ParameterizedTest
  @ValueSource(longs = {1, 3_000_000, 10_000_000})
  void aNodeThatDiesWithoutADaemonIsLost(long nanos) {
    Shape shape = Shape.plain(RANKS, 1, OnNoSpare.ABORT).withGroupLosses(1);
    JobSimulation job = new JobSimulation(nanos, shape);
    job.inject(
        FaultPlan.of(killed(0, 3_000), new Step(Kind.POWER_OFF, 0, 0, nanos, 0, Long.MAX_VALUE)));
    FinishedJob.run(job, shape);
    assertThat(job.injected()).isEqualTo(2);
  }

  /** Jobs in which daemons are killed where others lose nodes. */
  @ParameterizedTest
  @EnumSource(
      value = Scenario.class,
      names = {"A_NODE", "NODES", "EVERYTHING"})
  void jobsEndOnlyAsTheyMay(Scenario scenario) {
    Answers answers = new Answers();
    for (long seed = 0; seed < SEEDS; seed++) {
      Schedule schedule = Schedule.of(seed, scenario);
      if (schedule.losesDaemons()) {
        FinishedJob.assertAllowed(schedule.run(answers));
      }
    }
  }
}
