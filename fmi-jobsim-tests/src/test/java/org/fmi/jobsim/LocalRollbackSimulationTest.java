package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.fmi.Comm;
import org.fmi.FmiException;
import org.fmi.Op;
import org.fmi.Slice;
import org.fmi.control.Notice;
import org.fmi.core.log.Choice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.jobsim.JobSimulation.Program;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.spi.RecoveryPolicy;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated jobs with local rollback. */
final class LocalRollbackSimulationTest {
  private static final int SIZE = 4;

  private static Shape ranks() {
    return Shape.plain(SIZE, 1, OnNoSpare.ABORT)
        .withInterval(new CheckpointInterval.Every(4))
        .withLocalRollback(1 << 20);
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  private static <T> List<T> notices(JobSimulation job, Class<T> type, Predicate<T> which) {
    return job.notices(type).stream().filter(which).toList();
  }

  @Test
  void onlyTheFailedRankRepeatsIterations() {
    JobSimulation job = FinishedJob.of(3, ranks().withFaults(kill(2, FaultPoint.ITERATION, 7)));

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .containsExactly(new Notice.RollbackDecided(1, "[2]", ""));
    assertThat(notices(job, Notice.Continued.class, n -> true))
        .extracting(Notice.Continued::rank)
        .containsExactlyInAnyOrder(0, 1, 3);
    assertThat(notices(job, Notice.CaughtUp.class, n -> true))
        .singleElement()
        .satisfies(
            n -> {
              assertThat(n.rank()).isEqualTo(2);
              assertThat(n.from()).isEqualTo(4);
              assertThat(n.repeated()).isEqualTo(3);
            });
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  @Test
  void ranksOfOneNodeRollBackTogether() {
    Shape shape =
        Shape.plain(SIZE, 2, OnNoSpare.ABORT)
            .withInterval(new CheckpointInterval.Every(4))
            .withLocalRollback(1 << 20)
            .withGroupLosses(2)
            .withFaults(kill(1, FaultPoint.ITERATION, 6), kill(2, FaultPoint.ITERATION, 6));
    JobSimulation job = FinishedJob.of(3, shape);

    assertThat(notices(job, Notice.CaughtUp.class, n -> true))
        .extracting(Notice.CaughtUp::rank)
        .contains(1, 2);
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  @Test
  void anotherFailureWhileARankCatchesUpRollsBackThatRankToo() {
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ITERATION, 7));
    JobSimulation job = FinishedJob.ofAnotherFailure(5, shape);

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .containsExactly(
            new Notice.RollbackDecided(1, "[2]", ""), new Notice.RollbackDecided(2, "[0]", ""));
    assertThat(notices(job, Notice.Continued.class, n -> n.epoch() == 2))
        .extracting(Notice.Continued::rank)
        .containsExactlyInAnyOrder(1, 2, 3);
  }

  /**
   * A rank that has rolled back with all others continues from there, not from its earlier place.
   */
  @Test
  void anotherFailureRightAfterAGlobalRollback() {
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ENCODE, 8));
    JobSimulation job = FinishedJob.ofAnotherFailure(5, shape);

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .extracting(Notice.RollbackDecided::ranks)
        .containsExactly("", "[0]");
    assertThat(notices(job, Notice.Continued.class, n -> n.rank() == 2))
        .extracting(Notice.Continued::iteration)
        .containsExactly(4L);
  }

  /** A message received before a new process knows its log's limit counts as received. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void anotherRankIsLostWhereTheLogFollowsFromTheState(int other) {
    Shape shape =
        ranks()
            .withLocalRollback(new RecoveryPolicy.Log.OfState())
            .withFaults(
                kill((other + 1) % SIZE, FaultPoint.ITERATION, 6),
                kill(other, FaultPoint.ITERATION, 7));
    JobSimulation job = FinishedJob.of(3, shape);

    assertThat(notices(job, Notice.Left.class, n -> true)).as("%s", job.story()).isEmpty();
  }

  /** A replacement sends the messages of its predecessor again, which other ranks wait for. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void recreatesALogLostWithItsProcess(int other) {
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ITERATION, 7));
    JobSimulation job = new JobSimulation(11, shape);
    job.killWhen(n -> n instanceof Notice.Continued g && g.rank() == other, other);
    FinishedJob.run(job, shape);

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .as("%s", job.story())
        .hasSize(2)
        .allSatisfy(n -> assertThat(n.ranks()).isNotEmpty());
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void allButOneRankRollBack(int last) {
    FaultSpec[] others =
        IntStream.range(0, SIZE)
            .filter(rank -> rank != last)
            .mapToObj(rank -> kill(rank, FaultPoint.ITERATION, 7))
            .toArray(FaultSpec[]::new);
    JobSimulation job = FinishedJob.of(3, ranks().withFaults(others));

    assertThat(job.faultsLeft()).isEmpty();
    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .as("%s", job.story())
        .isNotEmpty()
        .allSatisfy(n -> assertThat(n.ranks()).isNotEmpty());
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  /** Each rank repeats what it did before the failure, though messages arrive at other times. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void replaysDecisionsByTheOrderOfMessages(int victim) {
    JobSimulation job =
        FinishedJob.of(3, ranks().withFaults(kill(victim, FaultPoint.ITERATION, 7)));

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .containsExactly(new Notice.RollbackDecided(1, "[" + victim + "]", ""));
    assertThat(notices(job, Notice.Degraded.class, n -> n.what().contains("rolls back all ranks")))
        .isEmpty();
  }

  /** Buffer space is freed as messages leave, which another process may see at another time. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void allRanksRollBackToBeforeARefusedBufferedSend(boolean checkpointBetween) {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          fmi.loop(
              5,
              n -> {
                if (n == 1 && world.rank() == 2) {
                  world.attachBuffer(8);
                  assertThatThrownBy(() -> world.bsend(new long[2], 1, 1))
                      .isInstanceOf(FmiException.class);
                }
                world.barrier();
              });
          return 0;
        };
    Shape shape =
        ranks()
            .withInterval(new CheckpointInterval.Every(checkpointBetween ? 2 : 10))
            .withFaults(kill(3, FaultPoint.ITERATION, 3));
    JobSimulation job = new JobSimulation(1, shape, null, program);
    assertThat(job.run().status()).as("%s", job.story()).isZero();

    String reason = "rank 2 " + Choice.REFUSED.text();
    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .containsExactly(
            checkpointBetween
                ? new Notice.RollbackDecided(1, "[3]", "")
                : new Notice.RollbackDecided(1, "", reason));
    assertThat(notices(job, Notice.Degraded.class, n -> n.what().contains(Choice.REFUSED.text())))
        .containsExactly(
            new Notice.Degraded(
                "a failure in loop 0 before its next checkpoint rolls back all ranks: " + reason));
  }

  /** Derived data follow from the state, whichever ranks roll back. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void computesDerivedDataAfterARestore(boolean local) {
    long[] computed = new long[SIZE];
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] sum = new long[1];
          long[] twice = new long[1];
          fmi.afterRestore(
              () -> {
                twice[0] = 2 * sum[0];
                computed[world.rank()]++;
              });
          fmi.loop(
              12,
              n -> {
                long[] each = {n};
                world.allReduce(each, Op.SUM);
                sum[0] += each[0];
                twice[0] += 2 * each[0];
              },
              sum);
          return twice[0];
        };
    Shape shape = local ? ranks() : ranks().withGlobalRollback();
    JobSimulation job =
        new JobSimulation(1, shape.withFaults(kill(0, FaultPoint.ITERATION, 7)), null, program);
    Outcome outcome = job.run();

    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(2 * SIZE * 66);
    long others = local ? 0 : 1;
    assertThat(computed).containsExactly(1, others, others, others);
  }

  /**
   * Other ranks need not roll back for a rank that moves to another node, unless one of them has
   * not ended its checkpoint when the job ends it for all.
   */
  @Test
  void aRankMovesAloneFromANodeThatIsToBeLost() {
    int alone = 0;
    for (long seed = 0; seed < 10; seed++) {
      Shape shape = ranks();
      JobSimulation job = new JobSimulation(seed, shape);
      job.leavesWhen(n -> n instanceof Notice.CheckpointCommitted c && c.iteration() == 4, 1);
      FinishedJob.run(job, shape);

      List<Notice.Respawned> respawned = notices(job, Notice.Respawned.class, n -> true);
      if (respawned.isEmpty()) {
        continue; // the loop ended first
      }
      assertThat(respawned).singleElement().satisfies(n -> assertThat(n.rank()).isEqualTo(1));
      Notice.RollbackDecided decided =
          notices(job, Notice.RollbackDecided.class, n -> true).getFirst();
      if (decided.equals(new Notice.RollbackDecided(1, "[1]", ""))) {
        alone++;
        assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
      } else {
        assertThat(decided.reason()).endsWith("is taking a checkpoint");
      }
    }
    assertThat(alone).as("jobs in which only that rank rolls back").isGreaterThan(2);
  }

  /** A program that breaks the rule: its messages depend on data outside of the state. */
  @Test
  void allRanksRollBackIfAReplayDiverges() {
    long[] calls = new long[SIZE];
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          int rank = world.rank();
          int right = (rank + 1) % SIZE;
          long[] sum = new long[1];
          fmi.loop(
              8,
              n -> {
                calls[rank]++;
                long[] got = new long[1];
                int left = (rank + SIZE - 1) % SIZE;
                world.sendRecv(Slice.of(calls, rank, 1), right, 5, got, left, 5);
                sum[0] += got[0];
              },
              sum);
          return 0;
        };
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ITERATION, 7));
    // With some seeds the last message is not received before its sender dies: then nothing
    // differs.
    JobSimulation job = new JobSimulation(2, shape, null, program);
    assertThat(job.run().status()).as("%s", job.story()).isZero();

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .containsExactly(
            new Notice.RollbackDecided(1, "[2]", ""),
            new Notice.RollbackDecided(
                2,
                "",
                "rank 2 rolled back alone and no longer repeats its first run: its message to rank"
                    + " 3 with tag 5 has different data, 8 bytes as before"));
  }

  /** Ranks agree after each iteration whether to continue. */
  @Test
  void aRankThatRollsBackAloneLearnsTheAgreements() {
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] sum = new long[1];
          long iterations =
              fmi.loopWhile(
                  20,
                  n -> {
                    long[] each = {n};
                    world.allReduce(each, Op.SUM);
                    sum[0] += each[0];
                    return n + 1 < 8 + world.rank();
                  },
                  sum);
          return 1000 * iterations + sum[0];
        };
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ITERATION, 10));
    JobSimulation job = new JobSimulation(2, shape, null, program);
    Outcome outcome = job.run();

    assertThat(outcome.answer()).as("%s", job.story()).isEqualTo(11_000 + 4 * 55);
    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .containsExactly(new Notice.RollbackDecided(1, "[2]", ""));
    assertThat(notices(job, Notice.Left.class, n -> true)).isEmpty();
  }

  /** The reported numbers are those that a program counts itself. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reportsRepeatedIterations(boolean local) {
    long[] done = new long[SIZE];
    Program program =
        (fmi, process, cluster) -> {
          Comm world = fmi.world();
          long[] sum = new long[1];
          fmi.loop(
              12,
              n -> {
                long[] each = {n};
                world.allReduce(each, Op.SUM);
                sum[0] += each[0];
                done[world.rank()]++;
              },
              sum);
          return sum[0];
        };
    Shape shape = local ? ranks() : ranks().withGlobalRollback();
    JobSimulation job =
        new JobSimulation(1, shape.withFaults(kill(2, FaultPoint.ITERATION, 7)), null, program);
    assertThat(job.run().status()).as("%s", job.story()).isZero();

    List<Notice.LoopDone> told = notices(job, Notice.LoopDone.class, n -> true);
    assertThat(told).hasSize(SIZE);
    for (Notice.LoopDone n : told) {
      assertThat(n.completed()).isEqualTo(12);
      assertThat(n.repeated()).as("%s", job.story()).isEqualTo(done[n.rank()] - 12);
      assertThat(n.repeated() > 0).isEqualTo(!local || n.rank() == 2);
    }
  }

  /**
   * A rank that is lost again each time before it has caught up: the other ranks wait for it past
   * the places where a checkpoint could be taken.
   */
  @Test
  void aRankThatNeverCatchesUpRollsBackAllRanks() {
    Program program =
        LosesARankAgain.adding(
            fmi -> {
              long[] each = {1};
              fmi.world().allReduce(each, Op.SUM);
              return each[0];
            });
    Shape shape = ranks().withInterval(new CheckpointInterval.Mtbf(100)).withMaxRecoveries(300);
    JobSimulation job = new JobSimulation(1, shape, SimModel.calm(), program);
    Outcome outcome = job.run();

    assertThat(outcome.status()).as("%s", job.story()).isZero();
    assertThat(outcome.answer()).isEqualTo(LosesARankAgain.ITERATIONS * SIZE);
    assertThat(
            notices(
                job, Notice.RollbackDecided.class, n -> n.reason().contains("made no progress")))
        .as("%s", job.story())
        .isNotEmpty();
    assertThat(notices(job, Notice.RollbackDecided.class, n -> n.ranks().equals("[1]")))
        .isNotEmpty();
  }

  @Test
  void aRankWithAFullLogRollsBackToo() {
    Shape shape = ranks().withLocalRollback(600).withFaults(kill(3, FaultPoint.ITERATION, 7));
    JobSimulation job = FinishedJob.of(3, shape);

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .singleElement()
        .satisfies(n -> assertThat(n.reason()).contains("--log-limit"));
    List<Notice.LogFull> full = notices(job, Notice.LogFull.class, n -> true);
    assertThat(full).isNotEmpty();
    assertThat(full)
        .allSatisfy(
            n -> {
              assertThat(n.limit()).isEqualTo(600);
              assertThat(n.bytes()).isGreaterThan(600);
              assertThat(n.needed()).isGreaterThanOrEqualTo(n.bytes());
            });
    // A process reports it once in a loop; its replacement reports it again.
    assertThat(full.stream().filter(n -> n.rank() != 3).map(n -> n.rank() + "/" + n.loop()))
        .doesNotHaveDuplicates();
  }

  /**
   * Each iteration sends 2000 bytes; a log of ten of them would be full long before iteration 31.
   */
  @Test
  void aFillingLogAsksForACheckpoint() {
    Shape shape =
        ranks()
            .withInterval(new CheckpointInterval.Every(1_000))
            .withLocalRollback(20_000)
            .withFaults(kill(2, FaultPoint.ITERATION, 31));
    JobSimulation job =
        new JobSimulation(
            3,
            shape,
            SimModel.calm(),
            (fmi, process, cluster) -> {
              int size = fmi.world().size();
              int rank = fmi.world().rank();
              long[] state = new long[250];
              long[] got = new long[250];
              fmi.loop(
                  40,
                  n -> {
                    process.compute(100_000_000);
                    fmi.world()
                        .sendRecv(state, (rank + 1) % size, 1, got, (rank + size - 1) % size, 1);
                    state[(int) n] = got[(int) n] + n;
                  },
                  state);
              return 0;
            });
    assertThat(job.run().status()).as(job.story()).isZero();
    assertThat(job.notices(Notice.RollbackDecided.class))
        .as(job.story())
        .containsExactly(new Notice.RollbackDecided(1, "[2]", ""));
    assertThat(job.notices(Notice.LogFull.class)).as(job.story()).isEmpty();
    assertThat(job.notices(Notice.LogFills.class))
        .as(job.story())
        .isNotEmpty()
        .allSatisfy(n -> assertThat(n.bytes()).isBetween(10_001L, 20_000L));
    // The first and the final checkpoint, and one per five to ten iterations.
    assertThat(job.notices(Notice.CheckpointCommitted.class)).hasSizeBetween(6, 10);
  }

  /** By default it depends on the node's memory. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void allRanksRollBackWithoutRoomForLogs(int ranksPerNode) {
    Shape shape =
        ranks()
            .withRanksPerNode(ranksPerNode)
            .withLocalRollback(new RecoveryPolicy.Log.OfState())
            .withFaults(kill(2, FaultPoint.ITERATION, 7));
    JobSimulation job = FinishedJob.of(3, shape);

    String told = "a failure in loop 0 rolls back all ranks: rank ";
    List<Notice.Degraded> degraded =
        notices(job, Notice.Degraded.class, n -> n.what().contains("less than 16 MiB"));
    assertThat(degraded).as("once, for all loops").hasSize(ranksPerNode - 1);
    assertThat(degraded)
        .allSatisfy(
            n ->
                assertThat(n.what())
                    .startsWith(told)
                    .endsWith("2 ranks need 160 MiB of free memory"));
    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .singleElement()
        .satisfies(n -> assertThat(n.ranks()).isEqualTo(ranksPerNode == 1 ? "[2]" : ""));
  }

  @Test
  void allRanksRollBackFromACheckpointInDoubt() {
    JobSimulation job = FinishedJob.of(3, ranks().withFaults(kill(2, FaultPoint.ENCODE, 8)));

    assertThat(notices(job, Notice.RollbackDecided.class, n -> true))
        .singleElement()
        .satisfies(n -> assertThat(n.reason()).endsWith("is taking a checkpoint"));
  }
}
