package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.control.Notice;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that a user adds to a job that runs. */
final class ComingSimulationTest {
  private static final int RANKS = 4;
  private static final int ITERATIONS = 24;

  /** What that loop counts. */
  static final long ANSWER = ITERATIONS * (ITERATIONS - 1L) / 2;

  private static final long ITERATION_NANOS = 1_000_000;
  private static final int MILLIS_OF_A_SCENARIO = 50;

  private final Answers answers = new Answers();

  /** A loop that counts, long enough for a node to be started; node 1 is lost in it. */
  static final Program LOSES_NODE_1 =
      (fmi, process, cluster) -> {
        long[] sum = new long[1];
        fmi.loop(
            ITERATIONS,
            n -> {
              if (n == 3 && fmi.epoch() == 0) {
                fmi.world().barrier();
                if (process.rank() == 0) {
                  cluster.faults().crashNode(1, Long.MAX_VALUE);
                }
              }
              process.compute(ITERATION_NANOS);
              fmi.world().barrier();
              sum[0] += n;
            },
            sum);
        return sum[0];
      };

  /** A node is added when the rank that has lost its own shares one. */
  @Test
  void aRankThatSharesANodeMovesToTheAddedOne() {
    JobSimulation job =
        new JobSimulation(1, Shape.plain(RANKS, 0, OnNoSpare.SHARE), SimModel.calm(), LOSES_NODE_1);
    job.addNodeWhen(n -> n instanceof Notice.AllRunning running && running.epoch() == 1);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).as(job.story()).isEqualTo(ANSWER);
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
    Seeds.forMillis(
        MILLIS_OF_A_SCENARIO,
        seed -> {
          Schedule schedule = Schedule.of(seed, scenario);
          JobSimulation job = schedule.prepare();
          job.addNodeWhen(Notice.CheckpointCommitted.class::isInstance);
          FinishedJob.assertAllowed(schedule.judge(job, answers));
        });
  }
}
