package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.fmi.control.JobMessage;
import org.fmi.control.LoopPoint;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.JobSpec.OnNoSpare;
import org.fmi.job.control.ToDaemon;
import org.fmi.spi.RecoveryPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single decisions; whole jobs are tried in {@code RequestSimulationTest}. */
final class CheckpointRequestsTest {
  private final Outbox out =
      new Outbox(
          new Placement(
              new JobSpec(
                  2,
                  new JobSpec.Room(
                      List.of(new JobSpec.Node("node0", 2, false)), 2, OnNoSpare.ABORT),
                  new JobSpec.Grouping(2, 1),
                  JobSpec.Recovery.ofAll(1),
                  List.of())));

  private final CheckpointRequests requests =
      new CheckpointRequests(2, RecoveryPolicy.global(), out);

  private static LoopPoint at(long loop, long iteration) {
    return new LoopPoint(loop, iteration, false);
  }

  private void stops(int rank, long request, LoopPoint first) {
    requests.stops(rank, new RankMessage.Stops(0, request, first));
  }

  private void committed(long version, LoopPoint at) {
    requests.committed(
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(0, version, at.loop(), at.iteration(), 8, 8, 1, 1, 1),
            at.iteration(),
            at.last()));
  }

  private void wanted(LoopPoint least) {
    requests.wanted(new RankMessage.CheckpointWanted(0, least, true));
  }

  private void assertTold(JobMessage message) {
    assertThat(out.take())
        .filteredOn(c -> !(c instanceof JobCommand.Report))
        .containsExactly(new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(message)));
  }

  private void assertNothing() {
    assertThat(out.take()).isEmpty();
  }

  @Test
  void allMeetWhereTheFurthestCanStop() {
    requests.running();
    assertNothing();
    requests.ask(7, false);
    assertTold(new JobMessage.Hold(0, 1));
    stops(1, 1, at(0, 12));
    assertNothing();
    stops(0, 1, at(0, 11));
    assertTold(new JobMessage.Meet(0, 1, at(0, 12), true));
    committed(3, at(0, 12));
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(7, 3, 0, 12));
  }

  @Test
  void theEndOfALoopIsBeyondItsPlacesAndBeforeThoseOfTheNext() {
    requests.running();
    requests.ask(1, false);
    stops(0, 1, at(0, 12));
    stops(1, 1, new LoopPoint(0, 12, true));
    assertThat(out.take())
        .contains(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(
                    new JobMessage.Meet(0, 1, new LoopPoint(0, 12, true), true))));
    committed(3, new LoopPoint(0, 12, true));
    assertThat(out.take()).hasSize(1);
    requests.ask(2, false);
    stops(0, 2, at(1, 0));
    stops(1, 2, new LoopPoint(0, 12, true));
    assertThat(out.take())
        .contains(
            new JobCommand.ToAllNodes(
                new ToDaemon.ForwardAll(new JobMessage.Meet(0, 2, at(1, 0), true))));
  }

  @Test
  void aSkippedOneAnswersWhoAskedForIt() {
    requests.running();
    requests.ask(7, false);
    wanted(at(0, 5));
    stops(0, 1, at(0, 11));
    stops(1, 1, at(0, 12));
    assertThat(out.take()).isNotEmpty();
    requests.skipped(at(0, 10), "no room"); // it was due
    assertNothing();
    requests.skipped(at(0, 12), "no room");
    assertThat(out.take()).containsExactly(new JobCommand.NotCheckpointed(7, "no room"));
    requests.ask(8, false);
    assertTold(new JobMessage.Hold(0, 2));
  }

  @Test
  void afterASkippedFinalOneAllAreRefusedUntilTheNextEpoch() {
    requests.running();
    requests.ask(1, false);
    assertTold(new JobMessage.Hold(0, 1));
    requests.skipped(new LoopPoint(0, 12, true), "no room");
    // Ranks that hold continue.
    assertThat(out.take())
        .containsExactly(
            new JobCommand.NotCheckpointed(1, "no room"),
            new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(new JobMessage.Resume(0, 1))));
    requests.ask(2, false);
    assertThat(out.take()).containsExactly(new JobCommand.NotCheckpointed(2, "no room"));
    wanted(at(1, 5));
    assertNothing();
    requests.left(1);
    requests.running();
    requests.ask(3, false);
    assertTold(new JobMessage.Hold(1, 2));
  }

  @Test
  void oneThatWasDueAnywayServesToo() {
    requests.running();
    requests.ask(1, false);
    requests.ask(2, true);
    assertTold(new JobMessage.Hold(0, 1));
    stops(0, 1, at(0, 9));
    committed(5, at(0, 8));
    // The other one wants one that is written to files, which only those are that are asked for.
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(1, 5, 0, 8));
    stops(1, 1, at(0, 9));
    assertTold(new JobMessage.Meet(0, 1, at(0, 9), true));
    committed(6, at(0, 9));
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(2, 6, 0, 9));
  }

  @Test
  void oneForALogThatFillsIsNotWrittenToFiles() {
    requests.running();
    requests.wanted(new RankMessage.CheckpointWanted(0, at(0, 4), false));
    assertTold(new JobMessage.Hold(0, 1));
    stops(0, 1, at(0, 5));
    stops(1, 1, at(0, 6));
    assertTold(new JobMessage.Meet(0, 1, at(0, 6), false));
    requests.ask(1, false);
    requests.ask(2, true);
    committed(3, at(0, 6));
    // Who wants one on files gets another one.
    assertThat(out.take())
        .filteredOn(c -> !(c instanceof JobCommand.Report))
        .containsExactly(
            new JobCommand.Checkpointed(1, 3, 0, 6),
            new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(new JobMessage.Hold(0, 2))));
    stops(0, 2, at(0, 7));
    stops(1, 2, at(0, 7));
    assertTold(new JobMessage.Meet(0, 2, at(0, 7), true));
    committed(4, at(0, 7));
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(2, 4, 0, 7));
  }

  @Test
  void anybodyElseWhoAsksBesideALogHasItWritten() {
    requests.running();
    requests.wanted(new RankMessage.CheckpointWanted(0, at(0, 4), false));
    wanted(at(0, 5));
    assertTold(new JobMessage.Hold(0, 1));
    stops(0, 1, at(0, 6));
    stops(1, 1, at(0, 6));
    assertTold(new JobMessage.Meet(0, 1, at(0, 6), true));
    committed(3, at(0, 6));
    assertNothing();
  }

  @Test
  void whatALogHasAskedForIsForgottenWithTheEpoch() {
    requests.running();
    requests.wanted(new RankMessage.CheckpointWanted(0, at(0, 4), false));
    assertTold(new JobMessage.Hold(0, 1));
    requests.left(1);
    requests.running();
    assertNothing();
  }

  @Test
  void whoHasBeenServedWithoutItLetsAllGoOn() {
    requests.running();
    requests.ask(1, false);
    stops(0, 1, at(0, 9));
    committed(5, at(0, 8));
    assertThat(out.take())
        .last()
        .isEqualTo(new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(new JobMessage.Resume(0, 1))));
    stops(1, 1, at(0, 9));
    assertNothing();
  }

  @Test
  void oneCheckpointServesAllWhoAskBefore() {
    requests.running();
    requests.ask(1, true);
    stops(0, 1, at(0, 9));
    requests.ask(2, true);
    stops(1, 1, at(0, 9));
    requests.ask(3, true);
    out.take();
    committed(5, at(0, 9));
    assertThat(out.take())
        .containsExactly(
            new JobCommand.Checkpointed(1, 5, 0, 9),
            new JobCommand.Checkpointed(2, 5, 0, 9),
            new JobCommand.Checkpointed(3, 5, 0, 9));
  }

  @Test
  void itCanBeCalledOffUntilAllKnowWhereToMeet() {
    requests.running();
    requests.ask(1, false);
    stops(0, 1, at(0, 9));
    out.take();
    requests.withdrawn(1);
    assertTold(new JobMessage.Resume(0, 1));
    requests.ask(2, false);
    assertTold(new JobMessage.Hold(0, 2));
    stops(0, 1, at(0, 9)); // late
    stops(0, 2, at(0, 10));
    stops(1, 2, at(0, 10));
    out.take();
    requests.withdrawn(2);
    assertNothing();
    // A rank may not know yet where to meet: nothing else is asked before that is over.
    requests.ask(3, true);
    assertNothing();
    committed(5, at(0, 9));
    assertNothing();
    committed(6, at(0, 10));
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(3, 6, 0, 10));
  }

  @Test
  void duringARecoveryUsersWaitAndTheProgramAsksAgain() {
    requests.ask(1, false);
    assertNothing();
    requests.running();
    assertTold(new JobMessage.Hold(0, 1));
    wanted(at(0, 5));
    stops(0, 1, at(0, 5));
    requests.left(1);
    stops(1, 1, at(0, 5));
    assertNothing();
    requests.running();
    assertTold(new JobMessage.Hold(1, 2));
    requests.withdrawn(1);
    assertTold(new JobMessage.Resume(1, 2));
  }

  @Test
  void theProgramIsServedByWhatIsLaterThanItsCall() {
    requests.running();
    committed(4, at(0, 6));
    wanted(at(0, 6));
    assertNothing();
    wanted(at(0, 7));
    wanted(at(0, 7));
    assertTold(new JobMessage.Hold(0, 1));
    stops(0, 1, at(0, 7));
    stops(1, 1, at(0, 8));
    wanted(at(0, 9));
    out.take();
    committed(5, at(0, 8));
    // The last call was after all had agreed where to meet.
    assertTold(new JobMessage.Hold(0, 2));
  }

  @Test
  void atTheEndAllAreTold() {
    requests.running();
    requests.ask(1, false);
    out.take();
    requests.over("it ends");
    assertThat(out.take()).containsExactly(new JobCommand.NotCheckpointed(1, "it ends"));
    requests.ask(2, false);
    assertThat(out.take()).containsExactly(new JobCommand.NotCheckpointed(2, "it ends"));
    requests.withdrawn(2);
    assertNothing();
  }

  /** Beside files ranks wait for what is asked for, and end what nobody waits for before. */
  @Test
  void aLineThatIsEndedWhereAllMeetIsNotWhatTheyMeetFor() {
    requests.running();
    requests.ask(1, true);
    stops(0, 1, at(0, 9));
    stops(1, 1, at(0, 9));
    out.take();
    requests.committed(
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(0, 4, 0, 7, 8, 8, 1, 1, 1), 9, false));
    assertNothing();
    committed(5, at(0, 9));
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(1, 5, 0, 9));
  }

  // ---- where no rank waits

  private final CheckpointRequests overlapped =
      new CheckpointRequests(2, new RecoveryPolicy.Global(true, false), out);

  /** One whose ranks were in different iterations. */
  private void line(long version, long lowest, long furthest) {
    overlapped.committed(
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(0, version, 0, lowest, 8, 8, 1, 1, 1), furthest, false));
  }

  @Test
  void whereNoRankWaitsEachBeginsOne() {
    overlapped.running();
    overlapped.ask(1, true);
    assertTold(new JobMessage.Begin(0, 1, -1));
    overlapped.ask(2, false);
    assertNothing();
    line(3, 7, 9);
    assertThat(out.take())
        .containsExactly(
            new JobCommand.Checkpointed(1, 3, 0, 7), new JobCommand.Checkpointed(2, 3, 0, 7));
    overlapped.ask(3, false);
    assertTold(new JobMessage.Begin(0, 2, 3));
    overlapped.withdrawn(3);
    assertTold(new JobMessage.Resume(0, 2));
  }

  // ---- where ranks may repeat what they did

  private CheckpointRequests logged(boolean overlapped, boolean files) {
    RecoveryPolicy.Log log = new RecoveryPolicy.Log.OfState();
    return new CheckpointRequests(2, new RecoveryPolicy.Local(log, overlapped, files), out);
  }

  /**
   * A rank that does so cannot say where it stops, and may need what one has not sent that could.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void afterAFailureNobodyStopsBeforeAllHaveRepeatedWhatTheyDid(boolean overlapped) {
    CheckpointRequests logged = logged(overlapped, overlapped);
    logged.running();
    logged.ask(1, true);
    assertTold(new JobMessage.Hold(0, 1));
    logged.left(1);
    logged.running();
    assertTold(new JobMessage.Settle(1, 2));
    logged.stops(1, new RankMessage.Stops(1, 2, at(0, 8)));
    logged.stops(0, new RankMessage.Stops(1, 1, at(0, 8)));
    assertNothing();
    logged.stops(0, new RankMessage.Stops(1, 2, at(0, 5)));
    assertTold(new JobMessage.Hold(1, 3));
    logged.stops(0, new RankMessage.Stops(1, 3, at(0, 6)));
    logged.stops(1, new RankMessage.Stops(1, 3, at(0, 9)));
    assertTold(new JobMessage.Meet(1, 3, at(0, 9), true));
    logged.committed(
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(1, 3, 0, 9, 8, 8, 1, 1, 1), 9, false));
    assertThat(out.take()).containsExactly(new JobCommand.Checkpointed(1, 3, 0, 9));
    logged.ask(2, false);
    assertTold(new JobMessage.Hold(1, 4)); // in this epoch nobody will again
    logged.left(2);
    logged.running();
    assertTold(new JobMessage.Settle(2, 5));
    logged.withdrawn(2);
    assertTold(new JobMessage.Resume(2, 5));
  }

  /** What was taken meanwhile has let all come further than what they did again. */
  @Test
  void behindACheckpointOfTheEpochNobodyRepeats() {
    CheckpointRequests logged = logged(false, false);
    logged.left(1);
    logged.running();
    logged.committed(
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(1, 3, 0, 9, 8, 8, 1, 1, 1), 9, false));
    logged.ask(1, false);
    assertTold(new JobMessage.Hold(1, 1));
  }

  @Test
  void theProgramIsServedByALineThatARankHasBegunBehindItsCall() {
    overlapped.running();
    overlapped.wanted(new RankMessage.CheckpointWanted(0, at(0, 8), true));
    assertTold(new JobMessage.Begin(0, 1, -1));
    line(3, 5, 7); // was begun before
    assertTold(new JobMessage.Begin(0, 2, 3));
    line(4, 6, 8);
    assertNothing();
    // Ranks that come to the same call later.
    overlapped.wanted(new RankMessage.CheckpointWanted(0, at(0, 8), true));
    assertNothing();
  }

  /** Where only failed ranks go back, a rank may have gone on before all run. */
  @Test
  void whatTheProgramAsksForBeforeAllRunIsAskedThen() {
    requests.running();
    requests.left(1);
    requests.wanted(new RankMessage.CheckpointWanted(0, at(0, 4), true));
    requests.wanted(new RankMessage.CheckpointWanted(1, at(0, 6), true));
    assertNothing();
    requests.running();
    assertTold(new JobMessage.Hold(1, 1));
    stops(0, 1, at(0, 6));
    stops(1, 1, at(0, 6));
    out.take();
    requests.committed(
        new RankMessage.CheckpointDone(
            new Notice.CheckpointCommitted(1, 5, 0, 6, 8, 8, 1, 1, 1), 6, false));
    assertNothing(); // that of the epoch before was not asked for
  }

  @Test
  void whoAsksForALineIsServedInTheNextEpoch() {
    overlapped.running();
    overlapped.ask(1, false);
    out.take();
    overlapped.left(1);
    overlapped.running();
    assertTold(new JobMessage.Begin(1, 2, -1));
  }
}
