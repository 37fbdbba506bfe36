package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Joined;
import org.fmi.control.RankMessage.Position;
import org.fmi.control.RankMessage.Standing;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.RecoveryPolicy;
import org.junit.jupiter.api.Test;

/** Single decisions; whole jobs are tried in {@code LocalRollbackSimulationTest}. */
final class RollbackScopeTest {
  private static final long MOST_BYTES = 1000;
  private static final Joined FRESH = new Joined(1, Position.FRESH, Map.of());
  private static final Joined REPLAYS = new Joined(1, Position.REPLAYING, Map.of());

  /** Each rank that is told something has a place. */
  private final Placement placement =
      new Placement(
          new JobSpec(
              3,
              new JobSpec.Room(List.of(new JobSpec.Node("node0", 3, false)), 3, OnNoSpare.ABORT),
              new JobSpec.Grouping(2, 1),
              JobSpec.Recovery.ofAll(1),
              List.of()));

  private final Outbox out = new Outbox(placement);

  private static final RecoveryPolicy LOCAL =
      new RecoveryPolicy.Local(new RecoveryPolicy.Log.OfState(), false, false);

  private final RollbackScope scope = new RollbackScope(LOCAL, MOST_BYTES, out);

  private static Joined inLoop(long loop, long version, boolean goesOn, String reason) {
    return new Joined(1, Position.IN_LOOP, new Standing(loop, version, goesOn, reason), Map.of());
  }

  private static Joined goesOn(long version) {
    return inLoop(0, version, true, "");
  }

  private void assertLocal(long version, String ranks, String reason, Joined... joined) {
    assertThat(scope.decide(1, List.of(joined), r -> 0)).isEqualTo(version);
    assertThat(out.take())
        .filteredOn(JobCommand.Report.class::isInstance)
        .containsExactly(new JobCommand.Report(new Notice.RollbackDecided(1, ranks, reason)));
  }

  private void assertGlobal(String reason, Joined... joined) {
    assertLocal(JobMessage.Start.ALL_ROLL_BACK, "", reason, joined);
  }

  @Test
  void ranksOfAFlowFindOutThemselves() {
    Standing flows = new Standing(0, Standing.NO_VERSION, false, true, "is in a flowLoop");
    scope.decide(1, List.of(FRESH, new Joined(1, Position.IN_LOOP, flows, Map.of())), r -> 0);
    assertThat(out.take())
        .contains(
            new JobCommand.Report(
                new Notice.RollbackDecided(1, "", true, "rank 1 is in a flowLoop")));
  }

  @Test
  void newProcessesAndThoseThatReplayGoBack() {
    assertLocal(5, "[0, 2]", "", FRESH, goesOn(5), REPLAYS);
  }

  @Test
  void whoCannotGoOnGoesBackToo() {
    assertLocal(5, "[0, 2]", "rank 2 has left", FRESH, goesOn(5), inLoop(0, 5, false, "has left"));
  }

  @Test
  void nothingIsToldIfNobodyIsInALoopOrAllAreToGoBackAnyway() {
    assertThat(scope.decide(0, List.of(FRESH, FRESH), r -> 0))
        .isEqualTo(JobMessage.Start.ALL_ROLL_BACK);
    assertThat(
            new RollbackScope(RecoveryPolicy.global(), MOST_BYTES, out)
                .decide(1, List.of(FRESH, goesOn(5)), r -> 0))
        .isEqualTo(JobMessage.Start.ALL_ROLL_BACK);
    assertThat(out.take()).isEmpty();
  }

  @Test
  void allGoBackIfOneMust() {
    Joined doubt = inLoop(0, Standing.NO_VERSION, false, "is taking a checkpoint");
    assertGlobal("rank 1 is taking a checkpoint", goesOn(5), doubt, FRESH);
    assertGlobal(
        "rank 1 has a different checkpoint from the ranks before it", goesOn(5), goesOn(6), FRESH);
    assertGlobal("rank 0 has left", inLoop(0, 5, false, "has left"), FRESH);
    assertGlobal("no rank is in the loop", REPLAYS, FRESH);
  }

  /** The rank that chooses may be the one that is lost. */
  @Test
  void allGoBackInALoopOfChoices() {
    scope.on(2, 7, new RankMessage.UnloggedChoice(0, 5, "probes for a message"));
    scope.on(1, 0, new RankMessage.UnloggedChoice(0, 5, "tests a request"));
    assertThat(out.take())
        .containsExactly(
            new JobCommand.Report(
                new Notice.Degraded(
                    "a failure in loop 0 before its next checkpoint rolls back all ranks: rank 2"
                        + " probes for a message")),
            tell(2, 7, new JobMessage.ChoiceRecorded()),
            tell(1, 0, new JobMessage.ChoiceRecorded()));
    assertGlobal("rank 2 probes for a message", goesOn(5), goesOn(5), FRESH);
    assertLocal(6, "[1]", "", inLoop(1, 6, true, ""), FRESH);
  }

  @Test
  void aChoiceIsForgottenAtTheNextCheckpoint() {
    scope.on(1, 0, new RankMessage.UnloggedChoice(0, 5, "is refused"));
    scope.on(1, 0, new RankMessage.UnloggedChoice(0, 4, "is refused"));
    assertThat(out.take()).isNotEmpty();
    assertLocal(6, "[1]", "", goesOn(6), FRESH);
    scope.on(1, 0, new RankMessage.UnloggedChoice(0, 6, "is refused"));
    assertThat(out.take()).containsExactly(tell(1, 0, new JobMessage.ChoiceRecorded()));
    assertGlobal("rank 1 is refused", goesOn(6), FRESH);
    assertLocal(7, "[1]", "", goesOn(7), FRESH);
  }

  /** The reason is told where it matters, too. */
  @Test
  void whatIsTheSameInManyLoopsIsToldOnce() {
    scope.on(
        1,
        0,
        new RankMessage.UnloggedChoice(0, RankMessage.UnloggedChoice.WHOLE_LOOP, "has no room"));
    scope.on(
        0,
        0,
        new RankMessage.UnloggedChoice(1, RankMessage.UnloggedChoice.WHOLE_LOOP, "has no room"));
    scope.on(
        0,
        0,
        new RankMessage.UnloggedChoice(2, RankMessage.UnloggedChoice.WHOLE_LOOP, "is refused"));
    assertThat(out.take())
        .filteredOn(JobCommand.Report.class::isInstance)
        .containsExactly(
            new JobCommand.Report(
                new Notice.Degraded(
                    "a failure in loop 0 rolls back all ranks: rank 1 has no room")),
            new JobCommand.Report(
                new Notice.Degraded(
                    "a failure in loop 2 rolls back all ranks: rank 0 is refused")));
    assertGlobal("rank 0 has no room", inLoop(1, 5, true, ""), FRESH);
  }

  private JobCommand tell(int rank, int incarnation, JobMessage message) {
    return new JobCommand.ToNode(
        placement.nodeOf(rank), new ToDaemon.Forward(rank, incarnation, message));
  }

  private void chose(long committed, long version, int first, long... determinants) {
    scope.on(1, 4, new RankMessage.Determinants(1, committed, version, first, determinants));
    assertThat(out.take()).containsExactly(tell(1, 4, new JobMessage.Acknowledged()));
  }

  /** What rank 1 is told, that goes back to version 5. */
  private long[] decided() {
    assertThat(scope.decide(1, List.of(goesOn(5), FRESH), rank -> 10 + rank)).isEqualTo(5);
    return out.take().stream()
        .filter(JobCommand.ToNode.class::isInstance)
        .map(command -> (ToDaemon.Forward) ((JobCommand.ToNode) command).message())
        .filter(tell -> tell.rank() == 1 && tell.incarnation() == 11)
        .map(tell -> ((JobMessage.ReplayDeterminants) tell.message()).determinants())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRankThatGoesBackIsToldWhatItHasDecidedSinceTheCheckpoint() {
    chose(5, 5, 0, 7, 8);
    chose(5, 5, 2, 9);
    assertThat(decided()).containsExactly(7, 8, 9);
    assertThat(decided()).containsExactly(7, 8, 9);
    chose(5, 6, 0, 1);
    assertThat(decided()).as("checkpoint 6 is not committed").containsExactly(7, 8, 9);
    chose(5, 6, 0, 1);
    chose(6, 7, 0);
    assertThat(decided()).isEmpty();
  }

  /** Versions that are given up come again. */
  @Test
  void whatWasDecidedIsForgottenWhenAllGoBack() {
    chose(5, 5, 0, 7);
    scope.impossible("it is damaged");
    assertGlobal("it is damaged", goesOn(5), FRESH);
    assertThat(decided()).isEmpty();
    chose(5, 5, 0, 7);
    assertThat(scope.decide(1, List.of(FRESH, FRESH), r -> 0))
        .isEqualTo(JobMessage.Start.ALL_ROLL_BACK);
    assertThat(decided()).isEmpty();
  }

  @Test
  void allGoBackOnceIfItHasProvedImpossible() {
    scope.impossible("it is damaged");
    assertGlobal("it is damaged", goesOn(5), FRESH);
    assertLocal(5, "[1]", "", goesOn(5), FRESH);
  }

  private List<Object> reports(int rank, long version, int first, long... determinants) {
    scope.on(rank, 0, new RankMessage.Determinants(rank, version, version, first, determinants));
    return out.take().stream()
        .map(command -> command instanceof JobCommand.Report report ? report.notice() : command)
        .filter(Notice.class::isInstance)
        .map(Object.class::cast)
        .toList();
  }

  /** The job has memory for some determinants; a later checkpoint needs new ones only. */
  @Test
  void moreDeterminantsThanThereIsMemoryForRollBackAllUntilTheNextCheckpoint() {
    long[] many = LongStream.range(0, 1000).map(i -> (i * i) << 20).toArray();
    assertThat(reports(0, 4, 0, 1, 2)).isEmpty();
    assertThat(reports(1, 4, 0, many)).hasSize(1);
    assertThat(reports(1, 4, many.length, many)).as("once").isEmpty();
    assertGlobal(
        "the ranks have made more nondeterministic receives, probes and tests since a checkpoint"
            + " than fmirun has memory for",
        FRESH,
        goesOn(4),
        goesOn(4));
    assertThat(reports(0, 4, 0, 1, 2)).isEmpty();
    assertThat(reports(1, 4, 0, many)).hasSize(1);
    assertThat(reports(1, 5, 0, 1, 2)).isEmpty();
    assertLocal(5, "[0]", "", FRESH, goesOn(5), goesOn(5));
  }
}
