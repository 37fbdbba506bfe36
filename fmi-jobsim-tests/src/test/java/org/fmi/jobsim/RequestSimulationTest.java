package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.fmi.Comm;
import org.fmi.Fmi;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.control.LoopPoint;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.jobsim.Schedule.Scenario;
import org.fmi.jobsim.Shape.Files;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.support.Seeds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that a user or the program asks for. */
final class RequestSimulationTest {
  private static final int RANKS = 4;

  /** No checkpoint is due but at the beginning and the end of loops. */
  private static final Shape SHAPE =
      Shape.plain(RANKS, 1, OnNoSpare.SHARE).withInterval(new CheckpointInterval.Every(1_000));

  private static final int MILLIS_OF_A_SCENARIO = 50;

  /** Of which some must lose two ranks at once. */
  private static final long MOST_SEEDS = 18;

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
  @Test
  void aRequestIsMetAndTheJobContinues() {
    AtomicInteger taken = new AtomicInteger();
    for (Scenario scenario : Scenario.values()) {
      Seeds.forMillis(
          MILLIS_OF_A_SCENARIO,
          seed -> {
            Schedule schedule = Schedule.of(seed, scenario);
            JobSimulation job = schedule.prepare();
            job.askers().allow(5);
            FinishedJob.assertAllowed(schedule.judge(job, answers));
            taken.addAndGet(job.askers().taken());
          });
    }
    assertThat(taken.get()).isPositive();
  }

  @Test
  void allRequestsAreMetWithoutAFailure() {
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
  void survivesTheLossOfTheRankThatAsked() {
    Shape shape = SHAPE.withFaults(new FaultSpec(false, 1, false, FaultPoint.ITERATION, 6));
    JobSimulation job = run(shape, (fmi, process, cluster) -> sum(fmi, 60, 1, 5));
    assertThat(committed(job).get(committed(job).size() - 2).iteration()).isBetween(6L, 25L);
  }

  /**
   * Two ranks roll back. The second one repeats what the third has had of it, and needs for that
   * what the first sends it. Of that one no other rank has anything, so it could stop before.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStoppingRankKeepsNoRankFromRepeating(boolean overlapped) {
    Shape shape =
        Shape.plain(RANKS, 2, OnNoSpare.SHARE)
            .withInterval(new CheckpointInterval.Every(1_000))
            .withLocalRollback(1 << 20)
            .withFaults(
                new FaultSpec(false, 0, false, FaultPoint.ITERATION, 4),
                new FaultSpec(false, 1, false, FaultPoint.ITERATION, 4));
    int atOnce = 0;
    for (long seed = 0; atOnce < 6; seed++) {
      assertThat(seed).as("jobs that lose both at once").isLessThan(MOST_SEEDS);
      JobSimulation job =
          new JobSimulation(
              seed,
              overlapped ? shape.withOverlap().withFiles(new Files(1_000, 0, 1_000)) : shape,
              SimModel.calm(),
              (fmi, process, cluster) -> downThePipe(fmi, process));
      job.askers().allow(1_000);
      assertThat(job.run().status()).as(job.story()).isZero();
      // Else the second one is lost in the epoch that follows.
      atOnce += job.notices(Notice.Continued.class).size() == 2 ? 1 : 0;
    }
  }

  private static long downThePipe(Fmi fmi, SimProcess process) {
    Comm world = fmi.world();
    int rank = world.rank();
    long[] sum = new long[1];
    fmi.loop(
        10,
        n -> {
          long[] got = {n};
          if (rank > 0) {
            world.recv(got, rank - 1, 1);
          }
          if (rank + 1 < RANKS) {
            world.send(got, rank + 1, 1);
          }
          sum[0] += got[0];
          process.compute(100_000);
        },
        sum);
    return sum[0];
  }

  // ---- where no rank waits

  private static List<Notice.CheckpointCommitted> between(JobSimulation job) {
    List<Notice.CheckpointCommitted> all = job.notices(Notice.CheckpointCommitted.class);
    return all.subList(1, all.size() - 1);
  }

  @Test
  void withAsynchronousCheckpointsTheProgramMayAsk() {
    for (int rank = -1; rank < RANKS; rank++) {
      int asker = rank;
      JobSimulation job =
          run(SHAPE.withOverlap(), (fmi, process, cluster) -> sum(fmi, 60, asker, 5));
      // All ranks call it in one iteration, or one does: that is one checkpoint.
      assertThat(between(job))
          .as(job.story())
          .singleElement()
          .satisfies(n -> assertThat(n.iteration()).isBetween(5L, 25L));
    }
  }

  /** A rank computes for long: others come to the loop's end, and not only to their next place. */
  @Test
  void withAsynchronousCheckpointsNoRankBlocksOthers() {
    for (Shape shape : List.of(SHAPE, SHAPE.withOverlap())) {
      long[] done = new long[RANKS];
      long[] seen = new long[RANKS];
      JobSimulation job =
          run(
              shape,
              (fmi, process, cluster) -> {
                int rank = fmi.world().rank();
                long[] state = {0};
                fmi.loop(
                    20,
                    n -> {
                      if (n == 2 && rank == 0) {
                        fmi.requestCheckpoint();
                      }
                      process.compute(rank == 3 && n == 2 ? 100_000_000 : 1_000_000);
                      state[0] += n;
                      done[rank] = n + 1;
                      if (rank == 3 && n == 2) {
                        System.arraycopy(done, 0, seen, 0, RANKS);
                      }
                    },
                    state);
                return state[0];
              });
      assertThat(between(job)).as(job.story()).hasSize(1);
      assertThat(seen[0]).as("%s", shape).isEqualTo(shape.job().policy().overlapped() ? 20 : 3);
    }
  }

  @Test
  void withAsynchronousCheckpointsAllRequestsAreMet() {
    int taken = 0;
    for (long seed = 0; seed < 4; seed++) {
      Shape shape = SHAPE.withOverlap();
      JobSimulation job = new JobSimulation(seed, shape);
      job.askers().allow(3);
      Outcome outcome = job.run();
      assertThat(outcome.answer()).as(job.story()).isEqualTo(answers.of(shape));
      taken += job.askers().taken();
    }
    assertThat(taken).isGreaterThan(6);
  }

  // ---- with local rollback

  private static final long LOG = 1 << 20;

  /** It does not repeat its call. */
  @Test
  void aRankThatContinuesAsksAgain() {
    Shape shape =
        SHAPE
            .withLocalRollback(LOG)
            .withFaults(new FaultSpec(false, 2, false, FaultPoint.ITERATION, 5));
    for (Shape each : List.of(shape, shape.withOverlap())) {
      JobSimulation job = run(each, (fmi, process, cluster) -> sum(fmi, 60, 1, 5));
      assertThat(job.notices(Notice.RollbackDecided.class))
          .containsExactly(new Notice.RollbackDecided(1, "[2]", ""));
      assertThat(between(job))
          .as(job.story())
          .singleElement()
          .satisfies(n -> assertThat(n.iteration()).isBetween(5L, 50L));
    }
  }

  /**
   * Rank 1 takes whatever is there of rank 0, and so has messages of iterations that rank 0 has to
   * do again. A place before these is none where a checkpoint can be taken.
   */
  @Test
  void aRankThatCatchesUpReachesItsOldPosition() {
    int iterations = 40;
    boolean[] asked = new boolean[1];
    Program program =
        (fmi, process, cluster) -> {
          int rank = fmi.world().rank();
          long[] state = {0, 0};
          fmi.loop(
              iterations,
              n -> {
                if (rank == 0) {
                  process.compute(200_000);
                  state[0] = 31 * state[0] + n;
                  fmi.world().send(new long[] {state[0]}, 1, 1);
                } else if (rank == 1) {
                  process.compute(800_000);
                  long[] got = new long[1];
                  while (state[1] < iterations
                      && (n == iterations - 1 || fmi.world().iprobe(0, 1) != null)) {
                    fmi.world().recv(got, 0, 1);
                    state[0] = 31 * state[0] + got[0];
                    state[1]++;
                  }
                } else {
                  process.compute(800_000);
                  if (fmi.epoch() == 1 && !asked[0]) {
                    asked[0] = true;
                    fmi.requestCheckpoint();
                  }
                }
              },
              state);
          long[] all = new long[RANKS];
          fmi.world().gather(Slice.of(state, 0, 1), all, 0);
          return 31 * all[0] + all[1];
        };
    long answer = new JobSimulation(1, SHAPE, SimModel.calm(), program).run().answer();
    for (Shape each : List.of(SHAPE, SHAPE.withOverlap())) {
      asked[0] = false;
      Shape shape =
          each.withLocalRollback(LOG)
              .withFaults(new FaultSpec(false, 0, false, FaultPoint.ITERATION, 30));
      JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), program);
      Outcome outcome = job.run();
      assertThat(outcome.status()).as(job.story()).isZero();
      assertThat(outcome.answer()).as(job.story()).isEqualTo(answer);
      assertThat(job.notices(Notice.RollbackDecided.class))
          .as(job.story())
          .containsExactly(new Notice.RollbackDecided(1, "[0]", ""));
      assertThat(between(job)).as(job.story()).hasSize(1);
    }
  }

  /** The rank that is behind needs a message of one that has stopped, and the other way round. */
  @Test
  void aStoppedRankKeepsNoRankFromStopping() {
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
