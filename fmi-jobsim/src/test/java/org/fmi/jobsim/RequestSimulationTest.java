package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.control.LoopPoint;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.Notice;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checkpoints that a user or the program asks for. */
final class RequestSimulationTest {
  private static final int RANKS = 4;

  /** No checkpoint is due but at the beginning and the end of loops. */
  private static final Shape SHAPE =
      Shape.plain(RANKS, 1, OnNoSpare.SHARE).withInterval(new CheckpointInterval.Every(1_000));

  private static final int SEEDS_OF_A_SCENARIO = 2;

  private final Answers answers = new Answers();

  private static List<LoopPoint> committed(JobSimulation job) {
    return job.notices().stream()
        .filter(Notice.CheckpointCommitted.class::isInstance)
        .map(Notice.CheckpointCommitted.class::cast)
        .map(n -> new LoopPoint(n.loop(), n.iteration(), false))
        .toList();
  }

  private static JobSimulation run(Shape shape, Program program) {
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    return job;
  }

  /** Failures at all times, of ranks that have stopped and of those they wait for, too. */
  @ParameterizedTest
  @EnumSource(Scenario.class)
  void whoAsksIsAnsweredAndTheJobGoesOn(Scenario scenario) {
    int taken = 0;
    for (long seed = 0; seed < SEEDS_OF_A_SCENARIO; seed++) {
      Schedule schedule = Schedule.of(scenario.name().hashCode() + seed, scenario);
      JobSimulation job = schedule.prepare();
      job.askers().allow(5);
      Result result = schedule.judge(job, answers);
      assertThat(result.verdict().allowed()).as("%s", result).isTrue();
      taken += job.askers().taken();
    }
    assertThat(taken).isPositive();
  }

  @Test
  void withoutAFailureAllWhoAskGetOne() {
    for (long seed = 0; seed < 4; seed++) {
      JobSimulation job = new JobSimulation(seed, SHAPE, null, Workload::run);
      job.askers().allow(3);
      Outcome outcome = job.run();
      assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(RANKS));
      // The beginnings and ends of the three loops.
      assertThat(committed(job)).hasSizeGreaterThanOrEqualTo(6);
    }
  }

  /** What is repeated to be compared is repeated to its end. */
  @Test
  void iterationsAreRepeatedAsWithoutThem() {
    Shape shape = SHAPE.withInterval(new CheckpointInterval.Every(5)).withCheck();
    int taken = 0;
    for (long seed = 0; seed < 10; seed++) {
      JobSimulation job = new JobSimulation(seed, shape, null, Workload::run);
      job.askers().allow(4);
      Outcome outcome = job.run();
      assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(RANKS));
      taken += job.askers().taken();
    }
    assertThat(taken).isGreaterThan(10);
  }

  /** Its ranks wait for each other in each iteration. */
  private static long sum(Fmi fmi, long iterations, int asker, long at) {
    long[] sum = new long[1];
    fmi.loop(
        iterations,
        n -> {
          if (n == at && (asker < 0 || asker == fmi.world().rank())) {
            fmi.requestCheckpoint();
          }
          long[] each = {n};
          fmi.world().allReduce(each, Op.SUM);
          sum[0] += each[0];
        },
        sum);
    assertThat(sum[0]).isEqualTo(RANKS * iterations * (iterations - 1) / 2);
    return sum[0];
  }

  private static void assertOneAfter(long iteration, JobSimulation job) {
    assertThat(committed(job)).as(job.story()).hasSize(3);
    assertThat(committed(job).getFirst()).isEqualTo(new LoopPoint(0, 0, false));
    assertThat(committed(job).get(1).iteration()).isBetween(iteration + 1, iteration + 20);
  }

  @Test
  void theProgramAsks() {
    for (int rank = 0; rank < RANKS; rank++) {
      int asker = rank;
      assertOneAfter(5, run(SHAPE, (fmi, process, cluster) -> sum(fmi, 60, asker, 5)));
    }
  }

  @Test
  void callsOfAllRanksInOneIterationLeadToOneCheckpoint() {
    assertOneAfter(5, run(SHAPE, (fmi, process, cluster) -> sum(fmi, 60, -1, 5)));
  }

  @Test
  void outsideOfALoopNothingIsAskedFor() {
    JobSimulation job =
        run(
            SHAPE,
            (fmi, process, cluster) -> {
              fmi.requestCheckpoint();
              long sum = sum(fmi, 10, 0, 1_000);
              fmi.requestCheckpoint();
              return sum;
            });
    assertThat(committed(job)).hasSize(2);
  }

  /** An iteration that is repeated asks again. */
  @Test
  void aRankThatAskedIsLost() {
    Shape shape = SHAPE.withFaults(new FaultSpec(false, 1, false, FaultPoint.ITERATION, 6));
    JobSimulation job = run(shape, (fmi, process, cluster) -> sum(fmi, 60, 1, 5));
    assertThat(committed(job).get(committed(job).size() - 2).iteration()).isBetween(6L, 25L);
  }

  /** The rank that is behind needs a message of one that has stopped, and the other way round. */
  @Test
  void whoHasStoppedKeepsNobodyFromStopping() {
    for (long seed = 0; seed < 4; seed++) {
      JobSimulation job =
          new JobSimulation(
              seed,
              SHAPE,
              null,
              (fmi, process, cluster) -> {
                int rank = fmi.world().rank();
                long[] sum = new long[1];
                fmi.loop(
                    20,
                    n -> {
                      // A pipeline: the last rank is iterations behind the first.
                      long[] in = new long[400];
                      if (rank > 0) {
                        fmi.world().recv(in, rank - 1, 1);
                      }
                      process.compute(5_000L * (rank + 1));
                      sum[0] += in[0] + n;
                      in[0] = sum[0];
                      if (rank + 1 < RANKS) {
                        fmi.world().send(in, rank + 1, 1);
                      }
                    },
                    sum);
                return 0;
              });
      job.askers().allow(3);
      Outcome outcome = job.run();
      assertThat(outcome.status()).as(job.story()).isZero();
    }
  }
}
