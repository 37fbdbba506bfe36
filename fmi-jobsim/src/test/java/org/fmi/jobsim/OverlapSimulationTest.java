package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.Notice;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.jobsim.Schedule.Result;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Simulated jobs whose ranks go on while checkpoints are taken. */
final class OverlapSimulationTest {
  private static final int SIZE = 4;
  private static final int SEEDS = 4;

  private static Shape ranks() {
    return Shape.plain(SIZE, 1, OnNoSpare.ABORT)
        .withInterval(new CheckpointInterval.Every(3))
        .withOverlap();
  }

  private static List<Notice.CheckpointCommitted> committed(JobSimulation job) {
    return job.notices().stream()
        .filter(Notice.CheckpointCommitted.class::isInstance)
        .map(Notice.CheckpointCommitted.class::cast)
        .toList();
  }

  private static JobSimulation finished(long seed, Shape shape) {
    JobSimulation job = new JobSimulation(seed, shape);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
    assertThat(outcome.answer())
        .as("seed %d%n%s", seed, job.story())
        .isEqualTo(new Answers().of(shape));
    return job;
  }

  @Test
  void checkpointsBetweenIterationsAreCommitted() {
    JobSimulation job = finished(3, ranks());
    assertThat(committed(job)).anyMatch(n -> n.loop() == 0 && n.iteration() > 0);
  }

  @ParameterizedTest
  @EnumSource(
      value = FaultPoint.class,
      mode = Mode.INCLUDE,
      names = {"CHECKPOINT", "ENCODE", "COMMIT", "COMMITTED", "ITERATION"})
  void aDeathAtAnyPlaceBetweenTheLineAndItsCommit(FaultPoint point) {
    int died = 0;
    for (int victim = 1; victim < SIZE; victim += 2) {
      // A rank comes to the line before it is due if another one is ahead.
      Shape shape = ranks().withFaults(new FaultSpec(false, victim, false, point, 3));
      died += finished(victim, shape).faultsLeft().isEmpty() ? 1 : 0;
    }
    assertThat(died).isPositive();
  }

  /**
   * Rank 0 sends far ahead of the others, and all of them combine values in each iteration: early
   * and late messages, and collectives on both sides of a line.
   */
  @Test
  void whatCrossesALineIsNeitherLostNorDoubled() {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int rank = world.rank();
          int size = world.size();
          long[] state = {rank + 1, 0};
          fmi.loop(
              14,
              n -> {
                process.compute(rank == 0 ? 1_000 : 300_000L * rank);
                long[] got = {0};
                if (rank == 0) {
                  for (int to = 1; to < size; to++) {
                    world.send(new long[] {31 * state[0] + n}, to, 1);
                  }
                } else {
                  world.recv(got, 0, 1);
                }
                state[0] = 7 * state[0] + got[0];
                if (n % 5 == 4) {
                  long[] sum = {state[0] & 0xffff};
                  world.allReduce(sum, Op.SUM);
                  long[] root = {sum[0] + rank};
                  world.bcast(root, (int) (n % size));
                  state[1] += root[0];
                }
              },
              state);
          long[] all = {state[0] ^ state[1]};
          world.allReduce(all, Op.SUM);
          return all[0];
        };
    List<Long> answers = new ArrayList<>();
    for (int seed = 0; seed < SEEDS; seed++) {
      Shape shape =
          seed == 0
              ? Shape.plain(SIZE, 1, OnNoSpare.ABORT)
              : ranks()
                  .withFaults(
                      new FaultSpec(
                          false, seed % SIZE, false, FaultPoint.ITERATION, 3 + seed % 10));
      JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), program);
      Outcome outcome = job.run();
      assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
      answers.add(outcome.answer());
    }
    assertThat(answers).containsOnly(answers.getFirst());
  }

  @Test
  void randomJobs() {
    Answers answers = new Answers();
    for (long seed = 0; seed < SEEDS; seed++) {
      Result result = Schedule.ofOverlap(seed).run(answers);
      assertThat(result.verdict().allowed()).as("%s", result).isTrue();
    }
  }
}
