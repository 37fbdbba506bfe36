package org.fmi.run.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.fmi.run.job.JobSpec.OnNoSpare;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.junit.jupiter.api.Test;

/**
 * Thousands of schedules of failures, delays and reorderings, each from its seed. Every job must
 * end, and with the answer of a run without failures; one may end without an answer only if more
 * was lost than its code can bring back, and must say so.
 *
 * <p>{@code -Dfmi.seed=S} repeats one seed, {@code -Dfmi.seeds=N} tries more.
 */
final class JobSimulationTest {
  private static final int SIZE = 4;
  private static final int SPARES = 2;
  private static final List<OnNoSpare> POLICIES =
      List.of(OnNoSpare.WAIT, OnNoSpare.SHARE, OnNoSpare.ABORT);

  private static LongStream seeds(int count) {
    Long one = Long.getLong("fmi.seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Long.getLong("fmi.seeds", count));
  }

  private static long answer() {
    JobSimulation undisturbed = new JobSimulation(1, SIZE, 1, SIZE, 4, OnNoSpare.ABORT);
    JobSimulation.Outcome outcome = undisturbed.run();
    assertThat(outcome.status()).as(undisturbed.story()).isZero();
    return outcome.answer();
  }

  private static JobSimulation disturbed(
      long seed, int failures, List<Kind> kinds, OnNoSpare policy) {
    JobSimulation job = new JobSimulation(seed, SIZE, 1, SIZE + SPARES, 4, policy);
    SplittableRandom random = job.random();
    job.inject(
        FaultPlan.random(
            random, 1 + random.nextInt(failures), kinds, SIZE, SIZE, 30_000, 200_000_000));
    return job;
  }

  @Test
  void theAnswerDoesNotDependOnTheSchedule() {
    long answer = answer();
    seeds(200)
        .forEach(
            seed -> {
              JobSimulation job = new JobSimulation(seed, SIZE, 1, SIZE, 4, OnNoSpare.ABORT);
              JobSimulation.Outcome outcome = job.run();
              assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
              assertThat(outcome.answer()).as("seed %d", seed).isEqualTo(answer);
            });
  }

  /**
   * Processes die, stop, or are taken for dead: the nodes' memory stays, so nothing may ever be
   * lost.
   */
  @Test
  void survivesAnyNumberOfLostProcesses() {
    long answer = answer();
    seeds(300)
        .forEach(
            seed -> {
              JobSimulation job =
                  disturbed(
                      seed,
                      6,
                      List.of(Kind.KILL_RANK, Kind.KILL_RANK, Kind.FREEZE, Kind.FALSE_SUSPICION),
                      OnNoSpare.SHARE);
              JobSimulation.Outcome outcome = job.run();
              assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
              assertThat(outcome.answer()).as("seed %d%n%s", seed, job.story()).isEqualTo(answer);
            });
  }

  @Test
  void survivesTheLossOfANode() {
    long answer = answer();
    seeds(300)
        .forEach(
            seed -> {
              JobSimulation job =
                  disturbed(
                      seed,
                      1,
                      List.of(Kind.CRASH_NODE, Kind.POWER_OFF, Kind.ISOLATE_NODE),
                      OnNoSpare.ABORT);
              JobSimulation.Outcome outcome = job.run();
              assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isZero();
              assertThat(outcome.answer()).as("seed %d%n%s", seed, job.story()).isEqualTo(answer);
            });
  }

  /**
   * Everything at once: a job may be lost, but never silently, never with a wrong answer, and never
   * for ever.
   */
  @Test
  void neverHangsAndNeverLies() {
    long answer = answer();
    int[] ended = new int[1];
    seeds(300)
        .forEach(
            seed -> {
              OnNoSpare policy = POLICIES.get((int) (seed % POLICIES.size()));
              JobSimulation job = disturbed(seed, 5, List.of(Kind.values()), policy);
              JobSimulation.Outcome outcome = job.run();
              if (outcome.status() == 0) {
                assertThat(outcome.answer()).as("seed %d%n%s", seed, job.story()).isEqualTo(answer);
                ended[0]++;
              } else {
                assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isEqualTo(70);
                assertThat(outcome.message()).as("seed %d", seed).isNotEmpty();
              }
            });
    if (Long.getLong("fmi.seed") == null) {
      assertThat(ended[0]).as("most survive").isGreaterThan((int) seeds(300).count() / 2);
    }
  }

  @Test
  void aSeedRepeatsItsTrace() {
    LongStream.range(0, 30)
        .forEach(
            seed ->
                assertThat(disturbed(seed, 3, List.of(Kind.values()), OnNoSpare.SHARE).run())
                    .as("seed %d", seed)
                    .isEqualTo(disturbed(seed, 3, List.of(Kind.values()), OnNoSpare.SHARE).run()));
  }
}
