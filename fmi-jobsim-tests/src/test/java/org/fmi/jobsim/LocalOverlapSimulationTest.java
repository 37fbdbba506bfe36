package org.fmi.jobsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.FaultSpec;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.jobsim.JobSimulation.Outcome;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.FaultPoint;
import org.fmi.testkit.SimModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Simulated jobs with local rollback to asynchronous checkpoints. */
final class LocalOverlapSimulationTest {
  private static final int SIZE = 4;

  private static Shape ranks() {
    return Shape.plain(SIZE, 1, OnNoSpare.ABORT)
        .withInterval(new CheckpointInterval.Every(3))
        .withLocalRollback(1 << 20)
        .withOverlap();
  }

  private static FaultSpec kill(int rank, FaultPoint point, long iteration) {
    return new FaultSpec(false, rank, false, point, iteration);
  }

  /** One of iterations that differ was committed before: the rank rolls back to its own. */
  @Test
  void onlyTheFailedRankRollsBack() {
    JobSimulation job = FinishedJob.of(3, ranks().withFaults(kill(2, FaultPoint.ITERATION, 8)));

    assertThat(job.notices(Notice.RollbackDecided.class))
        .as(job.story())
        .containsExactly(new Notice.RollbackDecided(1, "[2]", ""));
    assertThat(job.notices(Notice.Left.class)).as(job.story()).isEmpty();
    assertThat(job.notices(Notice.CaughtUp.class))
        .as(job.story())
        .singleElement()
        .satisfies(n -> assertThat(n.from()).isPositive());
  }

  @ParameterizedTest
  @MethodSource("org.fmi.jobsim.FinishedJob#placesOfALine")
  void aDeathAtAnyPlaceBetweenRecoveryLineAndCommit(FaultPoint point) {
    // A rank reaches the recovery line before it is due if another rank is ahead.
    FinishedJob.survivesDeaths(ranks(), point, 3);
  }

  @Test
  void anotherFailureWhileARankCatchesUpRollsBackThatRankToo() {
    Shape shape = ranks().withFaults(kill(2, FaultPoint.ITERATION, 11));
    JobSimulation job = FinishedJob.ofAnotherFailure(5, shape);

    assertThat(job.notices(Notice.RollbackDecided.class))
        .as(job.story())
        .isEqualTo(
            List.of(
                new Notice.RollbackDecided(1, "[2]", ""),
                new Notice.RollbackDecided(2, "[0]", "")));
  }

  /** No message is logged there, but messages cross recovery lines. */
  @Test
  void allRanksRollBackInAFlowLoop() {
    List<Long> answers = new ArrayList<>();
    for (int victim = 0; victim < 3; victim++) {
      Shape shape = ranks();
      if (victim > 0) {
        shape = shape.withFaults(kill(victim, FaultPoint.ITERATION, 7));
      }
      JobSimulation job = new JobSimulation(victim, shape, SimModel.calm(), FlowWorkload::run);
      Outcome outcome = job.run();
      assertThat(outcome.status()).as("%s", job.story()).isZero();
      assertThat(job.notices(Notice.Continued.class)).isEmpty();
      assertThat(job.notices(Notice.CheckpointCommitted.class)).hasSizeGreaterThan(2);
      answers.add(outcome.answer());
    }
    assertThat(answers).containsOnly(answers.getFirst());
  }

  /** No other recovery line is due; each iteration sends 2 kB. */
  @Test
  void beginsARecoveryLineBeforeALogIsFull() {
    Shape shape =
        ranks()
            .withInterval(new CheckpointInterval.Every(1_000))
            .withLocalRollback(20_000)
            .withFaults(kill(2, FaultPoint.ITERATION, 31));
    JobSimulation job =
        new JobSimulation(
            5,
            shape,
            SimModel.calm(),
            (fmi, process, cluster) -> {
              int size = fmi.world().size();
              int rank = fmi.world().rank();
              long[] state = new long[250];
              fmi.loop(
                  40,
                  n -> {
                    process.compute(100_000);
                    long[] got = new long[state.length];
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
    assertThat(job.notices(Notice.LogFills.class))
        .as(job.story())
        .isNotEmpty()
        .allSatisfy(n -> assertThat(n.bytes()).isBetween(10_001L, 20_000L))
        .allSatisfy(n -> assertThat(n.limit()).isEqualTo(20_000));
    // The first recovery line is committed late: the log is full before.
    assertThat(job.notices(Notice.LogFull.class))
        .allSatisfy(n -> assertThat(n.needed()).isEqualTo(2 * n.bytes()));
    // Two intervals of some five iterations fit into a log: not one recovery line per iteration.
    assertThat(job.notices(Notice.CheckpointCommitted.class)).hasSizeBetween(5, 15);
  }

  /**
   * Jobs with a bit that would flip where no checksum detects it: while the image is written, and
   * between a recovery's verification and the read of the state after a long prologue.
   */
  @ParameterizedTest
  @ValueSource(longs = {684_358_754, 684_360_350, 684_360_625})
  void aBitFlipsOnlyWhereAChecksumTells(long seed) {
    FinishedJob.assertAllowed(Schedule.ofBoth(seed).run(new Answers()));
  }

  /** A rank replayed its image's determinants, and waited for a rank that was held for files. */
  @Test
  void noRankIsHeldWhileAnotherMayRepeat() {
    FinishedJob.assertAllowed(Schedule.ofBoth(702_192_045).run(new Answers()));
  }

  /** Two ranks that both replay had each cancelled a receive, in different lives. */
  @Test
  void aReplayedSendDoesNotWaitForItsReceive() {
    for (Schedule schedule : List.of(Schedule.ofBoth(991_615_640), Schedule.ofLocal(908_650_659))) {
      FinishedJob.assertAllowed(schedule.run(new Answers()));
    }
  }

  /**
   * A recovery to older checkpoints on files, as memory is lost, ends in the next failure before
   * the job learns of it: survivors cannot resend the messages sent since the older checkpoints.
   */
  @Test
  void noRankContinuesWithoutItsRecoveryLine() {
    FinishedJob.assertAllowed(Schedule.ofLocal(16_341_123).run(new Answers()));
  }
}
