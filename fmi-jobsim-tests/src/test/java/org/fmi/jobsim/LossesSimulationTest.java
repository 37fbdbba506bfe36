package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.fmi.control.Notice;
import org.fmi.job.EndCause;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.jobsim.Shape.Files;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.FaultPlan;
import org.fmi.testkit.FaultPlan.Kind;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimNodeMemory;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several losses per group at once, and checkpoints that turn out to be damaged. */
final class LossesSimulationTest {
  private static final long FOREVER = Long.MAX_VALUE;
  private static final int RANKS = 6;

  /** When the first checkpoints are committed, in primitives. */
  private static final long IN_THE_LOOP = 6_000;

  /** For the seeds of one case. */
  private static final int MILLIS = 400;

  private final Answers answers = new Answers();

  private static Shape shape(int losses) {
    return Shape.plain(RANKS, 3, OnNoSpare.ABORT).withGroupLosses(losses);
  }

  private void assertFinished(JobSimulation job, String what) {
    Outcome outcome = job.run();
    assertThat(outcome.status()).as("%s%n%s", what, job.story()).isZero();
    assertThat(outcome.answer()).as("%s%n%s", what, job.story()).isEqualTo(answers.of(RANKS));
  }

  private static JobSimulation loses(int nodes, Shape shape, long first, long gap) {
    JobSimulation job = new JobSimulation(first + gap, shape, SimModel.calm(), Workload::run);
    Step[] steps = new Step[nodes];
    for (int n = 0; n < nodes; n++) {
      // They are lost in the order 1, 4, 2.
      steps[n] = new Step(Kind.CRASH_NODE, 1 + 3 * n % 5, 0, 0, n == 0 ? first : gap, FOREVER);
    }
    job.inject(FaultPlan.of(steps));
    return job;
  }

  /** Between two losses: each order of magnitude is as likely. */
  private static long gap(SplittableRandom random) {
    return random.nextInt(1 << random.nextInt(1, 12));
  }

  /** On another node, or on the same one again. */
  @ParameterizedTest
  @CsvSource({"JOIN_HANGS, 1", "JOIN_HANGS, 0", "START_HANGS, 1", "START_HANGS, 0"})
  void aProcessThatNeverJoinsIsReplaced(Kind kind, int spares) {
    Shape shape = Shape.plain(RANKS, spares, OnNoSpare.ABORT);
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), Workload::run);
    job.inject(
        FaultPlan.of(
            new Step(kind, 1, 0, 0, IN_THE_LOOP, FOREVER),
            new Step(Kind.KILL_RANK, 1, 0, 0, 0, 0)));
    assertFinished(job, kind + " for ever");
    assertThat(job.notices(Notice.NodeFailed.class)).as(job.story()).isEmpty();
    assertThat(job.notices(Notice.RankFailed.class))
        .as(job.story())
        .anyMatch(n -> n.reason().startsWith("has not joined after "));
    int after = spares == 0 ? 1 : RANKS;
    assertThat(job.notices(Notice.Respawned.class).getLast().node()).isEqualTo(after);
  }

  /** Also if that lasts longer than its daemon tries, and there is no other node. */
  @ParameterizedTest
  @ValueSource(longs = {100_000_000, 2_000_000_000, 10_000_000_000L})
  void aProcessThatCannotBeStartedForAWhileCostsNoNode(long nanos) {
    Shape shape = Shape.plain(RANKS, 0, OnNoSpare.ABORT);
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), Workload::run);
    job.inject(
        FaultPlan.of(
            new Step(Kind.START_FAILS, 1, 0, 0, IN_THE_LOOP, nanos),
            new Step(Kind.KILL_RANK, 1, 0, 0, 0, 0)));
    assertFinished(job, "no process for " + nanos);
    assertThat(job.injected()).isEqualTo(2);
    assertThat(job.notices(Notice.NodeFailed.class)).as(job.story()).isEmpty();
  }

  /** The gap puts the others' losses into each stage of the recovery from the first one. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void asManyNodesAsTheCodeBringsBack(int losses) {
    Seeds.forMillis(
        MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          long first = IN_THE_LOOP + random.nextInt(2_000);
          long gap = gap(random);
          assertFinished(loses(losses, shape(losses), first, gap), first + ", " + gap);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void oneMoreEndsTheJob(int losses) {
    JobSimulation job = loses(losses + 1, shape(losses), IN_THE_LOOP, 0);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(70);
    assertThat(outcome.cause()).isEqualTo(EndCause.CHECKPOINTS_LOST);
    assertThat(outcome.message())
        .contains("lost for good", "rebuilds " + losses)
        .contains(losses == 0 ? "[1]" : losses == 1 ? "[1, 4]" : "[1, 2, 4]");
    assertThat(job.judge(outcome, 0).allowed()).isTrue();
  }

  /** One node is lost, and another one at a place of the recovery, or of the checkpoint. */
  @ParameterizedTest
  @ValueSource(strings = {"ENCODE", "COMMIT", "REBUILD", "RESTORED"})
  void anotherNodeAtAnyStep(FaultPoint point) {
    Seeds.forMillis(
        MILLIS,
        seed -> {
          int other = List.of(0, 2, 5).get((int) (seed % 3));
          Shape shape =
              shape(2)
                  .withFaults(
                      new FaultSpec(true, 1, false, FaultPoint.ENCODE, 4),
                      new FaultSpec(true, other, false, point, point.isNumbered() ? -1 : 4));
          JobSimulation job = new JobSimulation(seed, shape, SimModel.calm(), Workload::run);
          assertFinished(job, point + " on node " + other);
        });
  }

  // ---- damaged checkpoints

  /** Behind the header's page. */
  private static final long IMAGE_AT = 4096;

  /** Changes a byte in the image of the newest checkpoint of a rank on that node. */
  private static void damageNewest(SimNodeMemory memory) {
    try {
      MemorySegment newest = null;
      for (String name : memory.list("ckpt-")) {
        MemorySegment piece = memory.open(name, Arena.ofAuto());
        if (newest == null || version(piece) > version(newest)) {
          newest = piece;
        }
      }
      Objects.requireNonNull(newest);
      long at = IMAGE_AT + 100;
      newest.set(ValueLayout.JAVA_BYTE, at, (byte) ~newest.get(ValueLayout.JAVA_BYTE, at));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static long version(MemorySegment piece) {
    return piece.get(ValueLayout.JAVA_LONG_UNALIGNED, 24);
  }

  private static final int ITERATIONS = 12;

  /**
   * A loop that counts; in an iteration, the newest checkpoint of some nodes is damaged, and then a
   * rank or a node is lost.
   */
  private static Program damaging(int iteration, int nodes, boolean nodeIsLost) {
    return (fmi, process, cluster) -> {
      long[] sum = new long[1];
      fmi.loop(
          ITERATIONS,
          n -> {
            if (n == iteration && fmi.epoch() == 0) {
              fmi.world().barrier();
              if (process.rank() == RANKS - 1) {
                for (int node = 0; node < nodes; node++) {
                  cluster.faults().corruptMemory(node, LossesSimulationTest::damageNewest);
                }
                if (nodeIsLost) {
                  cluster.faults().crashNode(RANKS - 1, FOREVER);
                } else {
                  cluster.faults().crash(RANKS - 1);
                }
                process.compute(1);
              }
              fmi.world().barrier();
            }
            sum[0] += n + fmi.world().rank();
          },
          sum);
      return sum[0];
    };
  }

  private static JobSimulation damaged(int losses, int iteration, int nodes, boolean nodeIsLost) {
    return new JobSimulation(
        7, shape(losses), SimModel.calm(), damaging(iteration, nodes, nodeIsLost));
  }

  /** Where all went on after the only recovery. */
  private static long resumedAt(JobSimulation job, Outcome outcome) {
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(ITERATIONS * (ITERATIONS - 1L) / 2);
    assertThat(outcome.recoveries()).as(job.story()).isEqualTo(1);
    List<Notice.AllRunning> running =
        job.notices().stream()
            .filter(n -> n instanceof Notice.AllRunning r && r.epoch() > 0)
            .map(Notice.AllRunning.class::cast)
            .toList();
    assertThat(running).as(job.story()).hasSize(1);
    return running.getFirst().iteration();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void damageThatTheCodeBringsBackCostsNothing(int losses) {
    for (boolean nodeIsLost : new boolean[] {false, true}) {
      int damaged = nodeIsLost ? losses - 1 : losses;
      JobSimulation job = damaged(losses, 7, damaged, nodeIsLost);
      assertThat(resumedAt(job, job.run())).as(job.story()).isEqualTo(6);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aNewestVersionThatIsBeyondRepairFallsBackToTheOneBefore(int losses) {
    for (boolean nodeIsLost : new boolean[] {false, true}) {
      if (nodeIsLost && losses == 0) {
        continue;
      }
      JobSimulation job = damaged(losses, 7, losses + 1, nodeIsLost);
      assertThat(resumedAt(job, job.run())).as(job.story()).isEqualTo(4);
    }
  }

  @Test
  void damageOfTheOnlyVersionEndsTheJob() {
    JobSimulation job = damaged(1, 1, 2, true);
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(70);
    assertThat(outcome.message()).contains("iteration 0", "lost for good");
    assertThat(job.judge(outcome, 0).allowed()).as(job.story()).isTrue();
  }

  // ---- files

  private static final Files AT_ONCE = new Files(2, 0, 1);

  /** A job writes one version in so much time, at most. */
  private static final long BETWEEN_FILES_NANOS = 300_000_000;

  /**
   * A loop that counts, in whose iteration 7 nodes are lost at once. Files hold the checkpoint of
   * iteration 2, and that of 6 if iteration 5 takes long.
   */
  private static Program losing(int nodes, boolean takesLong) {
    return (fmi, process, cluster) -> {
      long[] sum = new long[1];
      fmi.loop(
          ITERATIONS,
          n -> {
            if (n == 5 && takesLong) {
              process.compute(BETWEEN_FILES_NANOS);
            }
            if (n == 7 && fmi.epoch() == 0) {
              fmi.world().barrier();
              if (process.rank() == 0) {
                for (int node = 0; node < nodes; node++) {
                  cluster.faults().crashNode(RANKS - 1 - node, FOREVER);
                }
                process.compute(1);
              }
              fmi.world().barrier();
            }
            sum[0] += n;
          },
          sum);
      return sum[0];
    };
  }

  private static Shape withSpares(int losses, Files files) {
    return Shape.plain(RANKS, RANKS, OnNoSpare.ABORT).withGroupLosses(losses).withFiles(files);
  }

  private static List<Notice.Level2Restored> restored(JobSimulation job) {
    return job.notices().stream()
        .filter(Notice.Level2Restored.class::isInstance)
        .map(Notice.Level2Restored.class::cast)
        .toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void moreLossesThanTheCodeBringsBackAreReadFromFiles(int losses) {
    JobSimulation job =
        new JobSimulation(
            3, withSpares(losses, AT_ONCE), SimModel.calm(), losing(losses + 1, false));
    assertThat(resumedAt(job, job.run())).as(job.story()).isEqualTo(2);
    // Version 1: version 0 is of iteration 0. The others hold newer ones, and that one no more.
    // How far the furthest rank was beyond it depends on the seed.
    long repeated = restored(job).getFirst().repeated();
    assertThat(repeated).isBetween(5L, 6L);
    assertThat(restored(job))
        .containsExactly(new Notice.Level2Restored(1, "sim/v1", 0, 2, "", repeated));
  }

  /** Those that still hold it in memory read nothing. */
  @Test
  void onlyRanksThatLostItReadIt() {
    JobSimulation job =
        new JobSimulation(3, withSpares(1, AT_ONCE), SimModel.calm(), losing(2, true));
    assertThat(resumedAt(job, job.run())).as(job.story()).isEqualTo(6);
    assertThat(restored(job))
        .containsExactly(new Notice.Level2Restored(1, "sim/v3", 0, 6, "[4, 5]", 1));
  }

  @Test
  void allNodesAtOnceAreReadFromFiles() {
    JobSimulation job =
        new JobSimulation(3, withSpares(1, AT_ONCE), SimModel.calm(), losing(RANKS, true));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(ITERATIONS * (ITERATIONS - 1L) / 2);
    assertThat(restored(job).getLast().iteration()).isEqualTo(6);
    assertThat(restored(job).getLast().ranks()).isEmpty();
  }

  /** One node more is lost while others read, at whichever rank that is. */
  @Test
  void aLossDuringTheReading() {
    for (int other = 0; other < RANKS; other++) {
      Shape shape =
          withSpares(1, AT_ONCE)
              .withFaults(new FaultSpec(true, other, false, FaultPoint.REBUILD, -1));
      JobSimulation job =
          new JobSimulation(other, shape, SimModel.calm(), losing(2, other % 2 == 0));
      Outcome outcome = job.run();
      assertThat(outcome.status()).as(job.story()).isZero();
      assertThat(outcome.answer()).isEqualTo(ITERATIONS * (ITERATIONS - 1L) / 2);
      assertThat(restored(job)).as(job.story()).isNotEmpty();
    }
  }

  /** Nothing in memory, nothing whole in files: both are named. */
  @Test
  void damageOnAllRanksEndsTheJob() {
    JobSimulation job =
        new JobSimulation(
            3, withSpares(1, new Files(2, 100, 1)), SimModel.calm(), losing(RANKS - 1, true));
    Outcome outcome = job.run();
    assertThat(outcome.status()).as(job.story()).isEqualTo(70);
    assertThat(outcome.message())
        .contains("lost for good", "[1, 2, 3, 4, 5]", "sim/v3: damaged", "sim/v1: damaged");
    assertThat(job.judge(outcome, 0).allowed()).as(job.story()).isTrue();
  }

  @Test
  void anOlderVersionFollowsOneThatProvesDamaged() {
    boolean older = false;
    for (long seed = 0; seed < 24; seed++) {
      JobSimulation job =
          new JobSimulation(
              seed, withSpares(1, new Files(2, 50, 1)), SimModel.calm(), losing(2, true));
      Outcome outcome = job.run();
      assertThat(job.judge(outcome, ITERATIONS * (ITERATIONS - 1L) / 2).allowed())
          .as(job.story())
          .isTrue();
      older |= outcome.status() == 0 && restored(job).getLast().iteration() == 2;
    }
    assertThat(older).isTrue();
  }

  /** The two versions in memory are damaged beyond repair; files hold an older one. */
  @Test
  void damageThatMemoryDoesNotBringBackIsReadFromFiles() {
    Program program =
        (fmi, process, cluster) -> {
          long[] sum = new long[1];
          fmi.loop(
              ITERATIONS,
              n -> {
                if (n == 7 && fmi.epoch() == 0) {
                  fmi.world().barrier();
                  if (process.rank() == RANKS - 1) {
                    for (int node = 0; node < RANKS; node++) {
                      cluster.faults().corruptMemory(node, LossesSimulationTest::damageAll);
                    }
                    cluster.faults().crash(RANKS - 1);
                    process.compute(1);
                  }
                  fmi.world().barrier();
                }
                sum[0] += n;
              },
              sum);
          return sum[0];
        };
    JobSimulation job = new JobSimulation(7, withSpares(1, AT_ONCE), SimModel.calm(), program);
    assertThat(resumedAt(job, job.run())).as(job.story()).isEqualTo(2);
  }

  /** Changes a byte in each image. */
  private static void damageAll(SimNodeMemory memory) {
    try {
      for (String name : memory.list("ckpt-")) {
        MemorySegment piece = memory.open(name, Arena.ofAuto());
        long at = IMAGE_AT + 100;
        piece.set(ValueLayout.JAVA_BYTE, at, (byte) ~piece.get(ValueLayout.JAVA_BYTE, at));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Whatever is lost when, a job whose files hold something whole does not end for it. */
  @Test
  void severalNodesAtAnyMomentWithFiles() {
    Seeds.forMillis(
        2 * MILLIS,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          long first = IN_THE_LOOP + random.nextInt(20_000);
          long gap = gap(random);
          Shape shape =
              Shape.plain(RANKS, 3, OnNoSpare.ABORT)
                  .withFiles(new Files(1, 0, 1 + random.nextInt(3) * 200_000));
          JobSimulation job = loses(3, shape, first, gap);
          Outcome outcome = job.run();
          assertThat(job.judge(outcome, answers.of(RANKS)).allowed())
              .as("%d, %d%n%s", first, gap, job.story())
              .isTrue();
        });
  }
}
