package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.fmi.Comm;
import org.fmi.Op;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated jobs whose ranks continue while checkpoints are taken. */
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

  @Test
  void checkpointsBetweenIterationsAreCommitted() {
    JobSimulation job = FinishedJob.of(3, ranks());
    assertThat(committed(job)).anyMatch(n -> n.loop() == 0 && n.iteration() > 0);
  }

  /** The first two are each written to memory that has no earlier checkpoint. */
  @Test
  void doesNotCodeUnchangedData() {
    JobSimulation job = FinishedJob.of(3, ranks().withInterval(new CheckpointInterval.Every(1)));
    List<Notice.CheckpointCommitted> all =
        committed(job).stream().filter(n -> n.loop() == 0).toList();
    assertThat(all.subList(0, 2)).allMatch(n -> n.codedBytes() == n.bytes());
    assertThat(all.subList(2, all.size())).anyMatch(n -> n.codedBytes() < n.bytes());
  }

  @ParameterizedTest
  @MethodSource("org.fmi.jobsim.FinishedJob#placesOfALine")
  void aDeathAtAnyPlaceBetweenRecoveryLineAndCommit(FaultPoint point) {
    // A rank reaches the recovery line before it is due if another rank is ahead.
    FinishedJob.survivesDeaths(ranks(), point, 3);
  }

  /** Ranks compute without a call, each longer than the one before it. */
  private static Program alone(int iterations, long nanos, long nanosOfRank, int longs) {
    return (fmi, process, cluster) -> {
      int rank = fmi.world().rank();
      long[] state = new long[longs];
      fmi.loop(
          iterations,
          n -> {
            process.compute(nanos + nanosOfRank * rank);
            state[0] = 31 * state[0] + n;
          },
          state);
      return state[0];
    };
  }

  /**
   * 20 iterations of 1 to 4 ms: each rank takes as many checkpoints as are due on the slowest rank.
   */
  @Test
  void byTimeTheFirstRankWhoseClockSaysSoBegins() {
    Shape shape = ranks().withInterval(new CheckpointInterval.ByTime(0.010));
    JobSimulation job =
        new JobSimulation(1, shape, SimModel.calm(), alone(20, 1_000_000, 1_000_000, 1));
    assertThat(job.run().status()).as(job.story()).isZero();
    List<Long> between =
        committed(job).stream().map(Notice.CheckpointCommitted::iteration).toList();
    assertThat(between).as(job.story()).hasSizeBetween(3, 10).startsWith(0L).endsWith(20L);
    assertThat(between).as("begun by the time, not by iterations").doesNotContain(1L, 2L);
  }

  /** Blocking checkpoints convert a time to as many iterations as fit. */
  @Test
  void byTimeRanksThatWaitForEachOtherCountIterations() {
    Shape shape =
        Shape.plain(SIZE, 1, OnNoSpare.ABORT).withInterval(new CheckpointInterval.ByTime(0.0101));
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), alone(20, 1_000_000, 0, 1));
    assertThat(job.run().status()).as(job.story()).isZero();
    assertThat(committed(job).stream().map(Notice.CheckpointCommitted::iteration))
        .startsWith(0L, 1L, 9L)
        .endsWith(20L);
  }

  /**
   * Rank 0 sends far ahead of the other ranks, and all combine values in each iteration: early and
   * late messages, and collectives on both sides of a recovery line.
   */
  @Test
  void inTransitMessagesAreNeitherLostNorDuplicated() {
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

  /**
   * A recovery line may reach a rank only after its last iteration, so that it has none to continue
   * with.
   */
  @Test
  void noIterationFollowsAnAgreedEnd() {
    Program program =
        (fmi, process, cluster) -> {
          int rank = fmi.world().rank();
          long[] state = {rank};
          fmi.loopWhile(
              20,
              n -> {
                process.compute(1_000_000 + 10_000L * rank);
                state[0] = 31 * state[0] + n;
                return n < 5;
              },
              state);
          long[] all = {state[0]};
          fmi.world().allReduce(all, Op.SUM);
          return all[0];
        };
    List<Long> answers = new ArrayList<>();
    for (int seed = 0; seed < 6 * SEEDS; seed++) {
      Shape shape =
          ranks()
              .withInterval(new CheckpointInterval.ByTime(0.0025))
              .withFaults(new FaultSpec(false, seed % SIZE, false, FaultPoint.COMMITTED, 6));
      JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), program);
      Outcome outcome = job.run();
      assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
      answers.add(outcome.answer());
    }
    assertThat(answers).containsOnly(answers.getFirst());
  }

  /**
   * Without calls in iterations all pending work of a recovery line, of several blocks, is done
   * between iterations.
   */
  @Test
  void aProgramThatNeverWaitsCommitsInFewIterations() {
    Shape shape = ranks().withInterval(new CheckpointInterval.Every(10));
    JobSimulation job =
        new JobSimulation(1, shape, SimModel.calm(), alone(60, 1_000_000, 10_000, 8_000));
    assertThat(job.run().status()).as(job.story()).isZero();
    assertThat(committed(job)).as(job.story()).hasSizeGreaterThanOrEqualTo(5);
  }

  /** A counter of sends stands for the time of day. */
  @Test
  void aDifferingLeftOutMessageEndsTheJob() {
    AtomicLong sends = new AtomicLong();
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] state = {0};
          fmi.loop(
              40,
              n -> {
                process.compute(world.rank() == 0 ? 1_000 : 300_000);
                if (world.rank() > 0) {
                  world.recv(state, 0, 1);
                  return;
                }
                for (int to = 1; to < world.size(); to++) {
                  world.send(new long[] {sends.incrementAndGet()}, to, 1);
                }
              },
              state);
          return state[0];
        };
    Shape shape = ranks().withFaults(new FaultSpec(false, 2, false, FaultPoint.ITERATION, 30));
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), program);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isOne();
    assertThat(outcome.message())
        .contains("rank 0 rolled back to a checkpoint and no longer repeats its first run")
        .containsPattern(
            "its message to rank [123] with tag 1 has different data, 8 bytes as before");
  }

  /**
   * Ranks wait for every fifth iteration's checkpoint, which is written to files; other checkpoints
   * are asynchronous.
   */
  @Test
  void allRanksWaitForCheckpointsToFiles() {
    Shape shape = ranks().withFiles(new Shape.Files(5, 0, 1));
    JobSimulation job = FinishedJob.of(3, shape);
    List<Long> first =
        committed(job).stream()
            .filter(n -> n.loop() == 0)
            .map(Notice.CheckpointCommitted::iteration)
            .toList();
    assertThat(first).as(job.story()).contains(0L, 5L, 10L).hasSizeGreaterThan(4);
  }

  /** All memory is lost with the ranks of both nodes. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rollsBackToFiles(boolean local) {
    Shape shape = ranks().withFiles(new Shape.Files(5, 0, 1)).withGroupLosses(0);
    if (local) {
      shape = shape.withLocalRollback(1 << 20);
    }
    JobSimulation job =
        FinishedJob.of(3, shape.withFaults(new FaultSpec(true, 2, false, FaultPoint.ITERATION, 8)));
    assertThat(job.notices(Notice.Level2Restored.class))
        .as(job.story())
        .singleElement()
        .satisfies(n -> assertThat(n.iteration()).isEqualTo(5));
  }

  /** If checkpoints to files are due by time, rank 0 asks for them. */
  @Test
  void oneThatIsToBeWrittenNextIsAskedFor() {
    Shape shape =
        ranks()
            .withFiles(new Shape.Files(Long.MAX_VALUE, 0, 1))
            .withGroupLosses(0)
            .withFaults(new FaultSpec(true, 2, false, FaultPoint.ITERATION, 10));
    JobSimulation job = new JobSimulation(3, shape);
    job.writesWhen(n -> n instanceof Notice.CheckpointCommitted c && c.loop() == 0);
    FinishedJob.run(job, shape);
    assertThat(job.notices(Notice.Level2Restored.class))
        .as(job.story())
        .singleElement()
        .satisfies(n -> assertThat(n.iteration()).isBetween(1L, 10L));
  }
}
