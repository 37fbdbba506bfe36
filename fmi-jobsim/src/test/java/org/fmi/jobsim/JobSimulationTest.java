package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.Notice;
import org.fmi.jobsim.JobSimulation.Shape;
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
  private static final int SPARES = 2;
  private static final List<OnNoSpare> POLICIES =
      List.of(OnNoSpare.WAIT, OnNoSpare.SHARE, OnNoSpare.ABORT);

  /** Of runs without failures, by size. */
  private final Map<Integer, Long> answers = new HashMap<>();

  private static LongStream seeds(int count) {
    Long one = Long.getLong("fmi.seed");
    return one != null ? LongStream.of(one) : LongStream.range(0, Long.getLong("fmi.seeds", count));
  }

  private long answer(int size) {
    return answers.computeIfAbsent(
        size,
        s -> {
          JobSimulation undisturbed = new JobSimulation(1, Shape.plain(s, 0, OnNoSpare.ABORT));
          JobSimulation.Outcome outcome = undisturbed.run();
          assertThat(outcome.status()).as(undisturbed.story()).isZero();
          return outcome.answer();
        });
  }

  private static Shape shape(long seed, int spares, OnNoSpare policy) {
    return Shape.random(new SplittableRandom(seed), spares, policy);
  }

  private static JobSimulation disturbed(long seed, int failures, List<Kind> kinds, Shape shape) {
    JobSimulation job = new JobSimulation(seed, shape);
    SplittableRandom random = job.random();
    job.inject(
        FaultPlan.random(
            random,
            1 + random.nextInt(failures),
            kinds,
            shape.size(),
            shape.usedNodes(),
            7_500L * shape.size(),
            200_000_000));
    return job;
  }

  /** A failure after all ranks were released cannot be recovered, and is told as such. */
  private static boolean cameTooLate(JobSimulation job, JobSimulation.Outcome outcome) {
    return outcome.status() != 0
        && (outcome.message().contains("while the program was ending")
            || job.notices().stream()
                .anyMatch(
                    notice ->
                        notice instanceof Notice.RankFailed f
                            && f.reason().endsWith("after Fmi.close")));
  }

  /** What happened in the jobs of a test, all together. */
  private static final class Tally {
    private int jobs;
    private int injected;
    private int recoveries;
    private int tooLate;

    void add(JobSimulation job, JobSimulation.Outcome outcome) {
      jobs++;
      injected += job.injected();
      recoveries += outcome.recoveries();
      tooLate += cameTooLate(job, outcome) ? 1 : 0;
    }

    /** Most failures must hit a job, and be recovered from. */
    void assertTried() {
      if (Long.getLong("fmi.seed") == null) {
        String what =
            "%d jobs, %d failures, %d recoveries, %d failures too late"
                .formatted(jobs, injected, recoveries, tooLate);
        assertThat(injected).as(what).isGreaterThan(jobs / 2);
        assertThat(recoveries).as(what).isGreaterThan(jobs / 2);
        assertThat(tooLate).as(what).isLessThanOrEqualTo(jobs / 10);
      }
    }
  }

  private void assertRight(
      long seed, Shape shape, JobSimulation job, JobSimulation.Outcome outcome) {
    if (job.injected() > 0 && cameTooLate(job, outcome)) {
      return;
    }
    assertThat(outcome.status()).as("seed %d, %s%n%s", seed, shape, job.story()).isZero();
    assertThat(outcome.answer())
        .as("seed %d, %s%n%s", seed, shape, job.story())
        .isEqualTo(answer(shape.size()));
  }

  @Test
  void theAnswerDoesNotDependOnTheSchedule() {
    seeds(120)
        .forEach(
            seed -> {
              Shape shape = shape(seed, 0, OnNoSpare.ABORT);
              JobSimulation job = new JobSimulation(seed, shape);
              assertRight(seed, shape, job, job.run());
            });
  }

  /**
   * Processes die, stop, lose each other, or are taken for dead: the nodes' memory stays, so
   * nothing may ever be lost.
   */
  @Test
  void survivesAnyNumberOfLostProcesses() {
    List<Kind> kinds =
        List.of(
            Kind.KILL_RANK,
            Kind.KILL_RANK,
            Kind.FREEZE,
            Kind.BREAK_CONNECTION,
            Kind.FALSE_SUSPICION);
    Tally tally = new Tally();
    seeds(200)
        .forEach(
            seed -> {
              Shape shape = shape(seed, SPARES, OnNoSpare.SHARE);
              JobSimulation job = disturbed(seed, 6, kinds, shape);
              JobSimulation.Outcome outcome = job.run();
              assertRight(seed, shape, job, outcome);
              tally.add(job, outcome);
            });
    tally.assertTried();
  }

  @Test
  void survivesTheLossOfANode() {
    List<Kind> kinds = List.of(Kind.CRASH_NODE, Kind.POWER_OFF, Kind.ISOLATE_NODE);
    Tally tally = new Tally();
    seeds(300)
        .forEach(
            seed -> {
              Shape shape = shape(seed, SPARES, OnNoSpare.ABORT);
              if (shape.survivesANode()) {
                JobSimulation job = disturbed(seed, 1, kinds, shape);
                JobSimulation.Outcome outcome = job.run();
                assertRight(seed, shape, job, outcome);
                tally.add(job, outcome);
              }
            });
    tally.assertTried();
  }

  /**
   * Everything at once: a job may be lost, but never silently, never with a wrong answer, and never
   * for ever.
   */
  @Test
  void neverHangsAndNeverLies() {
    int[] ended = new int[1];
    seeds(200)
        .forEach(
            seed -> {
              OnNoSpare policy = POLICIES.get((int) (seed % POLICIES.size()));
              Shape shape = shape(seed, SPARES, policy);
              JobSimulation job = disturbed(seed, 5, List.of(Kind.values()), shape);
              JobSimulation.Outcome outcome = job.run();
              if (outcome.status() == 0) {
                assertThat(outcome.answer())
                    .as("seed %d, %s%n%s", seed, shape, job.story())
                    .isEqualTo(answer(shape.size()));
                ended[0]++;
              } else {
                assertThat(job.injected()).as("seed %d%n%s", seed, job.story()).isPositive();
                if (!cameTooLate(job, outcome)) {
                  assertThat(outcome.status()).as("seed %d%n%s", seed, job.story()).isEqualTo(70);
                  assertThat(outcome.message()).as("seed %d", seed).isNotEmpty();
                }
              }
            });
    if (Long.getLong("fmi.seed") == null) {
      assertThat(ended[0]).as("most survive").isGreaterThan((int) seeds(200).count() / 2);
    }
  }

  @Test
  void aSeedRepeatsItsTrace() {
    LongStream.range(0, 30)
        .forEach(
            seed -> {
              Shape shape = shape(seed, SPARES, OnNoSpare.SHARE);
              assertThat(disturbed(seed, 3, List.of(Kind.values()), shape).run())
                  .as("seed %d", seed)
                  .isEqualTo(disturbed(seed, 3, List.of(Kind.values()), shape).run());
            });
  }
}
