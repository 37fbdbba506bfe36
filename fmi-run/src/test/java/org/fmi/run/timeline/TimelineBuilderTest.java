package org.fmi.run.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import org.fmi.control.Notice;
import org.fmi.run.options.UsageException;
import org.fmi.run.report.EventLog;
import org.fmi.run.timeline.Timeline.Back;
import org.fmi.run.timeline.Timeline.Ending;
import org.fmi.run.timeline.Timeline.Failure;
import org.fmi.run.timeline.Timeline.FileWrite;
import org.fmi.run.timeline.Timeline.Flow;
import org.fmi.run.timeline.Timeline.Join;
import org.fmi.run.timeline.Timeline.Node;
import org.fmi.run.timeline.Timeline.Onward;
import org.fmi.run.timeline.Timeline.Recovery;
import org.fmi.run.timeline.Timeline.Remark;
import org.fmi.run.timeline.Timeline.Scope;
import org.fmi.run.timeline.Timeline.Spawn;
import org.fmi.run.timeline.Timeline.Stay;
import org.fmi.run.timeline.Timeline.Stop;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TimelineBuilderTest {
  private static final long MILLI = 1_000_000;
  private static final long NEVER = Timeline.NEVER;

  @TempDir private Path directory;
  private Path file;
  private EventLog log;

  @BeforeEach
  void open() throws IOException {
    file = directory.resolve("events.json");
    log = new EventLog(file);
  }

  private void at(long millis, Notice... notices) throws IOException {
    for (Notice notice : notices) {
      log.write(EventLog.line(notice, 1_790_000_000_000L + millis, 77 + millis * MILLI));
    }
  }

  private Timeline timeline() throws IOException, UsageException {
    log.close();
    return TimelineBuilder.read(file);
  }

  private static Notice checkpoint(int epoch, long version, long iteration) {
    return new Notice.CheckpointCommitted(
        epoch, version, 0, iteration, 1000, 1000, 3 * MILLI, 4 * MILLI, MILLI);
  }

  private void runsFrom(long millis) throws IOException {
    at(
        0,
        new Notice.Submitted("f00", "himeno.jar --grid S"),
        new Notice.NodeReady(0, "node0"),
        new Notice.NodeReady(1, "node1"),
        new Notice.NodeReady(2, "h3"),
        new Notice.Started(2, 2, 1, 1),
        new Notice.Spawned(0, 0, "node0"),
        new Notice.Spawned(1, 1, "node1"));
    at(millis - 3, new Notice.Joined(0, 0), new Notice.Joined(0, 1), new Notice.AllJoined(0));
    at(millis - 1, new Notice.AllConnected(0, "tcp"));
    at(millis, new Notice.AllRunning(0, -1, -1, 0));
  }

  @Test
  void checkpointsOnFilesAreThereWithWhatBecameOfThem() throws Exception {
    runsFrom(100);
    at(110, new Notice.Level2Restored(0, "f0f/v9", 0, 40, "", -1));
    at(200, checkpoint(0, 0, 50), new Notice.Level2Begun(0, 0, 50));
    at(230, new Notice.Level2Flushed(0, 0, 2000));
    at(250, new Notice.Level2Committed(0, 0, 50, 2000));
    at(300, new Notice.Level2Begun(1, 0, 60));
    at(360, new Notice.Level2Failed(1, 60, "/l2: No space left on device", 0));
    at(400, new Notice.Level2Begun(2, 0, 70));
    at(500, new Notice.Finished(0, 0, ""));
    Timeline timeline = timeline();
    assertThat(timeline.fileWrites())
        .containsExactly(
            new FileWrite(200_000, 250_000, 0, 0, 50, 2000, false),
            new FileWrite(300_000, 360_000, 1, 0, 60, 0, true),
            new FileWrite(400_000, NEVER, 2, 0, 70, 0, false));
    assertThat(timeline.remarks())
        .containsExactly(
            new Remark(110_000, "from f0f/v9 in files, at iteration 40 of loop 0"),
            new Remark(
                360_000,
                "the checkpoint of iteration 60 could not be written to files: /l2: No space left"
                    + " on device"));
    assertThat(TimelinePage.of(timeline))
        .contains(
            "\"fileWrites\":[200000,250000,0,0,50,2000,0,300000,360000,1,0,60,0,1,400000,-1,2,0,70,0,0]");
  }

  @Test
  void aJobWithoutFailuresHasAStartAndNoRecovery() throws Exception {
    runsFrom(100);
    at(200, checkpoint(0, 0, 0));
    at(300, checkpoint(0, 1, 50));
    at(400, new Notice.Finished(0, 0, ""));
    Timeline timeline = timeline();
    assertThat(timeline.job()).isEqualTo("f00");
    assertThat(timeline.program()).isEqualTo("himeno.jar --grid S");
    assertThat(timeline.ranks()).isEqualTo(2);
    assertThat(timeline.end()).isEqualTo(400_000);
    assertThat(timeline.ending()).isEqualTo(new Ending(0, 0, ""));
    assertThat(timeline.cut()).isFalse();
    assertThat(timeline.recoveries())
        .singleElement()
        .satisfies(
            start -> {
              assertThat(start.noticed()).isZero();
              assertThat(start.running()).isEqualTo(100_000);
              assertThat(start.attempts().getFirst().spawned())
                  .containsExactly(new Spawn(0, 0, 0), new Spawn(1, 0, 1));
            });
    assertThat(timeline.recoveryCount()).isZero();
    assertThat(timeline.recovering()).isZero();
    assertThat(timeline.lostWork()).isZero();
    assertThat(timeline.checkpointing()).isEqualTo(2 * 8_000);
    assertThat(timeline.nodes())
        .extracting(Node::name, Node::to)
        .containsExactly(tuple("node0", NEVER), tuple("node1", NEVER), tuple("h3", NEVER));
  }

  @Test
  void aProcessThatIsNotLostAfterAllStays() throws Exception {
    runsFrom(100);
    at(500, new Notice.RankFailed(0, 1, "rank 0 over the overlay", "closed"));
    at(600, new Notice.FalsePositive(1, 1, "rank 0", "it lives"));
    assertThat(timeline().stays())
        .filteredOn(stay -> stay.rank() == 1)
        .containsExactly(new Stay(1, 1, 0, 0, NEVER));
  }

  /** A rank is lost at 500, of which a peer hears first; the last checkpoint was at 300. */
  @Test
  void aRecoveryHasItsStagesItsTrueCauseAndWhatItCost() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    at(
        500,
        new Notice.Notified(0, 0, 1, 0, 0),
        new Notice.RankFailed(0, 1, "rank 0 over the overlay", "closed"),
        new Notice.RecoveryBegun(1, false, "rank 1: closed"));
    at(501, new Notice.Left(0, 0, 0, 83));
    at(505, new Notice.CauseKnown(0, 1, "was killed by signal 9"));
    at(506, new Notice.Respawned(1, 1, 1, "node1", 1));
    at(510, new Notice.Joined(1, 0));
    at(530, new Notice.Joined(1, 1), new Notice.AllJoined(1));
    at(540, new Notice.AllConnected(1, "tcp"));
    at(560, new Notice.AllRunning(1, 0, 50, 1));
    at(900, new Notice.Finished(0, 1, ""));
    Timeline timeline = timeline();
    Recovery recovery = timeline.recoveries().getLast();
    assertThat(recovery.failures())
        .containsExactly(
            new Failure(
                500_000, 1, -1, "", "rank 0 over the overlay", "closed", "was killed by signal 9"));
    assertThat(recovery.noticed()).isEqualTo(500_000);
    assertThat(recovery.running()).isEqualTo(560_000);
    assertThat(recovery.computedSince()).isEqualTo(300_000);
    assertThat(recovery.lostIterations()).isEqualTo(33);
    assertThat(recovery.rebuilt()).isEqualTo(1);
    assertThat(recovery.attempts())
        .singleElement()
        .satisfies(
            attempt -> {
              assertThat(attempt.notified()).containsExactly(new Timeline.Notice(0, 500_000, 0));
              assertThat(attempt.stopped()).containsExactly(new Stop(0, 501_000, 0, 83));
              assertThat(attempt.spawned()).containsExactly(new Spawn(1, 506_000, 1));
              assertThat(attempt.joined())
                  .containsExactly(new Join(0, 510_000), new Join(1, 530_000));
              assertThat(attempt.allJoined()).isEqualTo(530_000);
              assertThat(attempt.allConnected()).isEqualTo(540_000);
              assertThat(attempt.overlay()).isEqualTo("tcp");
            });
    assertThat(timeline.stays())
        .containsExactly(
            new Stay(0, 0, 0, 0, NEVER),
            new Stay(1, 1, 0, 0, 500_000),
            new Stay(1, 1, 1, 506_000, NEVER));
    assertThat(timeline.recoveryCount()).isOne();
    assertThat(timeline.recovering()).isEqualTo(60_000);
    assertThat(timeline.lostWork()).isEqualTo(200_000);
  }

  /** The work between a checkpoint and the first failure is not counted a second time. */
  @Test
  void workIsLostOnceEachTimeItIsComputed() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    fails(500, 1, 560);
    fails(700, 2, 760);
    Timeline timeline = timeline();
    assertThat(timeline.lostWork()).isEqualTo(200_000 + 140_000);
    assertThat(timeline.recoveryCount()).isEqualTo(2);
  }

  private void fails(long millis, int epoch, long running) throws IOException {
    isReplaced(millis, epoch, 1);
    at(running, new Notice.AllRunning(epoch, 0, 50, 0));
  }

  private void isReplaced(long millis, int epoch, int rank) throws IOException {
    at(
        millis,
        new Notice.RankFailed(epoch - 1, rank, "daemon", "was killed by signal 9"),
        new Notice.RecoveryBegun(epoch, false, "rank " + rank + " was killed by signal 9"),
        new Notice.Respawned(epoch, rank, rank, "node" + rank, epoch));
  }

  /** Rank 1 is lost at 500 and goes back to the checkpoint of 300; rank 0 stays in iteration 83. */
  private void failsAlone(long millis, int epoch, int rank, long running) throws IOException {
    isReplaced(millis, epoch, rank);
    at(
        running - 5,
        new Notice.AllJoined(epoch),
        new Notice.RollbackDecided(epoch, "[" + rank + "]", ""));
    at(running - 2, new Notice.AllConnected(epoch, "tcp"));
    at(running - 1, new Notice.Continued(epoch, 1 - rank, 0, 83, 66, 9000));
    at(running, new Notice.AllRunning(epoch, 0, 50, 1));
  }

  @Test
  void onlyARankThatGoesBackAloneHasLostWork() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    failsAlone(500, 1, 1, 560);
    at(640, new Notice.CaughtUp(1, 1, 0, 50, 83, 33));
    Timeline timeline = timeline();
    Recovery recovery = timeline.recoveries().getLast();
    assertThat(recovery.scope())
        .isEqualTo(
            new Scope(
                "",
                List.of(new Back(1, 300_000, 50, 640_000, 33)),
                List.of(new Onward(0, 0, 83, 66, 9000)),
                null));
    assertThat(recovery.lostIterations()).isEqualTo(33);
    // One of two ranks has lost 200 ms.
    assertThat(timeline.lostWork()).isEqualTo(100_000);
    assertThat(timeline.recovering()).isEqualTo(60_000);
  }

  @Test
  void howFarOthersWereIsLostUntilTheRankHasCaughtUp() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    failsAlone(500, 1, 1, 560);
    assertThat(timeline().recoveries().getLast().lostIterations()).isEqualTo(33);
  }

  @Test
  void workOfARankThatHasStayedIsLostFromTheCheckpointOnLater() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    failsAlone(500, 1, 1, 560);
    at(600, new Notice.CaughtUp(1, 1, 0, 50, 83, 33));
    failsAlone(700, 2, 0, 760);
    at(761, new Notice.CaughtUp(2, 0, 0, 50, 83, 34));
    fails(800, 3, 860);
    Timeline timeline = timeline();
    assertThat(timeline.recoveries())
        .extracting(Recovery::lostWork)
        // Rank 1 alone; rank 0 without the first recovery; both, rank 1 since it ran again.
        .containsExactly(0L, 200_000L / 2, 340_000L / 2, (180_000L + 40_000L) / 2);
    assertThat(timeline.recoveries())
        .extracting(Recovery::lostIterations)
        .containsExactly(-1L, 33L, 34L, -1L);
  }

  @Test
  void aRankMayCatchUpBeforeAllRunAndInALaterEpoch() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    at(500, new Notice.RecoveryBegun(1, false, "rank 1 was killed by signal 9"));
    at(510, new Notice.RollbackDecided(1, "[1]", ""));
    at(520, new Notice.CaughtUp(1, 1, 0, 50, 50, 0));
    at(530, new Notice.AllRunning(1, 0, 50, 0));
    failsAlone(600, 2, 1, 660);
    failsAlone(700, 3, 0, 760);
    at(800, new Notice.CaughtUp(3, 1, 0, 50, 83, 33), new Notice.CaughtUp(3, 0, 0, 50, 82, 32));
    assertThat(timeline().recoveries().stream().skip(1))
        .extracting(r -> Objects.requireNonNull(r.scope()).back().getFirst())
        .extracting(Back::rank, Back::caughtUp, Back::repeated)
        .containsExactly(tuple(1, 520_000L, 0L), tuple(1, 800_000L, 33L), tuple(0, 800_000L, 32L));
  }

  @Test
  void whyAllGoBackIsToldWhereFewerWereToAndAFlowSaysWhoHelped() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 50));
    at(500, new Notice.RecoveryBegun(1, false, "rank 1 was killed by signal 9"));
    at(510, new Notice.RollbackDecided(1, "", "rank 0 is outside of a loop"));
    at(560, new Notice.AllRunning(1, 0, 50, 0));
    at(600, new Notice.RecoveryBegun(2, false, "rank 1 was killed by signal 9"));
    at(650, new Notice.FlowBegun(2, 0, 50, 60, "[1]", "[0]", 15, "[0: 5, 1: 10]"));
    at(660, new Notice.AllRunning(2, 0, 60, 0));
    Timeline timeline = timeline();
    Recovery all = timeline.recoveries().get(1);
    assertThat(all.scope()).isNull();
    assertThat(all.whyAll()).isEqualTo("rank 0 is outside of a loop");
    Recovery flow = timeline.recoveries().getLast();
    assertThat(flow.scope())
        .isEqualTo(
            new Scope(
                "",
                List.of(new Back(1, 560_000, 50, NEVER, -1)),
                List.of(),
                new Flow(50, 60, "[0]", 15)));
    assertThat(flow.lostIterations()).isEqualTo(10);
    assertThat(flow.lostWork()).isEqualTo(20_000);
  }

  /** Rank 0 had no time any more to tell of the checkpoint that all had committed. */
  @Test
  void aCheckpointThatWasNotToldOfIsTheNewest() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 20));
    fails(500, 1, 560);
    assertThat(timeline().lostWork()).isZero();
  }

  @Test
  void aFailureDuringARecoveryIsPartOfIt() throws Exception {
    runsFrom(100);
    at(
        500,
        new Notice.NodeFailed(0, 1, "node1", "fmirun", "its daemon died"),
        new Notice.RecoveryBegun(1, false, "node1 lost: its daemon died"),
        new Notice.Respawned(1, 1, 2, "h3", 1));
    at(520, new Notice.AllJoined(1));
    at(
        525,
        new Notice.RankFailed(1, 0, "daemon", "was killed by signal 9"),
        new Notice.RecoveryBegun(2, false, "rank 0 was killed by signal 9"),
        new Notice.Respawned(2, 0, 0, "node0", 1));
    at(540, new Notice.RecoveryBegun(2, true, "rank 1 is outside of a loop"));
    at(560, new Notice.AllJoined(2));
    at(600, new Notice.AllRunning(2, -1, -1, 0));
    Timeline timeline = timeline();
    assertThat(timeline.recoveryCount()).isOne();
    Recovery recovery = timeline.recoveries().getLast();
    assertThat(recovery.failures()).extracting(Failure::node).containsExactly(1, -1);
    assertThat(recovery.attempts()).extracting(Timeline.Attempt::epoch).containsExactly(1, 2);
    assertThat(recovery.attempts())
        .extracting(Timeline.Attempt::restartAll)
        .containsExactly(NEVER, 540_000L);
    // From the start: all that was computed since all ran the first time.
    assertThat(timeline.lostWork()).isEqualTo(400_000);
    assertThat(timeline.nodes()).extracting(Node::to).containsExactly(NEVER, 500_000L, NEVER);
    assertThat(timeline.stays()).contains(new Stay(1, 1, 0, 0, 500_000));
    assertThat(timeline.stays()).contains(new Stay(1, 2, 1, 500_000, NEVER));
  }

  @Test
  void theLossOfASpareIsNoRecovery() throws Exception {
    runsFrom(100);
    at(200, new Notice.NodeFailed(0, 2, "h3", "fmirun", "its daemon died"));
    at(300, checkpoint(0, 0, 20));
    fails(500, 1, 560);
    Timeline timeline = timeline();
    assertThat(timeline.others()).extracting(Failure::node).containsExactly(2);
    assertThat(timeline.recoveries().getLast().failures()).hasSize(1);
  }

  @Test
  void aJobThatEndsInARecoveryHasOneThatIsNotFinished() throws Exception {
    runsFrom(100);
    at(300, checkpoint(0, 0, 20));
    at(
        500,
        new Notice.RankFailed(0, 1, "daemon", "was killed by signal 9"),
        new Notice.RecoveryBegun(1, false, "rank 1 was killed by signal 9"));
    at(900, new Notice.Finished(70, 1, "no spare is left"));
    Timeline timeline = timeline();
    assertThat(timeline.ending()).isEqualTo(new Ending(70, 1, "no spare is left"));
    assertThat(timeline.recoveries().getLast().running()).isEqualTo(NEVER);
    assertThat(timeline.recovering()).isEqualTo(400_000);
    assertThat(timeline.lostWork()).isEqualTo(200_000);
  }

  @Test
  void aFileThatIsCutIsReadUpToThere() throws Exception {
    runsFrom(100);
    log.close();
    Files.writeString(file, "{\"time\":1790000000500,\"nan", StandardOpenOption.APPEND);
    Timeline timeline = TimelineBuilder.read(file);
    assertThat(timeline.cut()).isTrue();
    assertThat(timeline.ending()).isNull();
    assertThat(timeline.end()).isEqualTo(100_000);
  }

  @Test
  void eventsOfANewerVersionAreLeftOut() throws Exception {
    runsFrom(100);
    log.close();
    Files.writeString(
        file,
        "{\"time\":1,\"nanos\":200000077,\"event\":\"Unheard\",\"list\":[1,{\"a\":2}],\"x\":0.5}\n",
        StandardOpenOption.APPEND);
    assertThat(TimelineBuilder.read(file).end()).isEqualTo(200_000);
  }

  private void refused(String message) {
    assertThatThrownBy(() -> TimelineBuilder.read(file))
        .isInstanceOf(UsageException.class)
        .hasMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"hello\nworld\n", "{}\n", "[1]\n", "{\"time\":1,\"nanos\":2}\n", "\n", "{\"ti"})
  void aFileOfAnotherKindIsRefused(String text) throws Exception {
    Files.writeString(file, text);
    refused(file + ", line 1: not an event; name a file written by fmirun --events");
  }

  @Test
  void aLineThatIsNoEventIsRefusedUnlessItIsTheLast() throws Exception {
    runsFrom(100);
    log.close();
    Files.writeString(file, "{\"time\":17900\n", StandardOpenOption.APPEND);
    refused(file + ", line 13: not an event; name a file written by fmirun --events");
  }

  @Test
  void aFileWithoutLineEndsIsNotReadInOnePiece() throws Exception {
    Files.write(file, new byte[2 << 20]);
    refused(file + ", line 1: not an event; name a file written by fmirun --events");
  }

  @Test
  void whatCannotBeReadIsRefused() throws Exception {
    Files.writeString(file, "");
    refused(file + ": has no events yet; name a file written by fmirun --events");
    Files.delete(file);
    refused(file + ": no such file; name a file written by fmirun --events");
    Files.createDirectory(file);
    refused(file + ": is a directory; name a file written by fmirun --events");
  }

  @Test
  void theEventsOfTwoJobsAreRefused() throws Exception {
    runsFrom(100);
    runsFrom(200);
    log.close();
    refused(
        file
            + ", line 13: the events of another job start here; use a file with the events of one"
            + " job");
  }

  @Test
  void anEventWithoutAFieldIsRefused() throws Exception {
    Files.writeString(file, "{\"time\":1,\"nanos\":2,\"event\":\"NodeReady\",\"node\":0}\n");
    refused(
        file
            + ", line 1: the event NodeReady has no name that can be read; use the fmi of the same"
            + " version as the fmirun that wrote it");
  }
}
