package org.fmi.run.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.JobSpec;
import org.fmi.run.options.RunOptions.Verbosity;
import org.junit.jupiter.api.Test;

final class ProgressLinesTest {
  private static final long MILLI = 1_000_000;

  private static final JobSpec SPEC =
      new JobSpec(
          4,
          new JobSpec.Room(
              List.of(
                  new JobSpec.Node("node0", 2, false),
                  new JobSpec.Node("node1", 2, false),
                  new JobSpec.Node("h3", 2, true)),
              2,
              JobSpec.OnNoSpare.SHARE),
          new JobSpec.Grouping(16, 1),
          JobSpec.Recovery.ofAll(10),
          List.of());

  private final List<String> lines = new ArrayList<>();

  private void tell(Verbosity verbosity) {
    ProgressLines progress = new ProgressLines(verbosity, SPEC, lines::add);
    progress.on(new Notice.NodeReady(0, "node0"), 0);
    progress.on(new Notice.Started(4, 2, 1, 1), 0);
    progress.on(new Notice.AllJoined(0), 0);
    progress.on(new Notice.AllRunning(0, 0, -1, 0), 0);
    progress.on(new Notice.NodeFailed(0, 1, "node1", "fmirun", "its daemon died"), 100 * MILLI);
    progress.on(new Notice.RecoveryBegun(1, false, "node1 lost"), 100 * MILLI);
    progress.on(new Notice.Respawned(1, 2, 2, "h3", 1), 101 * MILLI);
    progress.on(new Notice.Respawned(1, 3, 2, "h3", 1), 101 * MILLI);
    progress.flush(102 * MILLI);
    progress.on(new Notice.Notified(0, 0, 2, 1, 0), 103 * MILLI);
    progress.on(new Notice.Notified(0, 1, 2, 2, 0), 104 * MILLI);
    progress.on(new Notice.AllJoined(1), 150 * MILLI);
    progress.on(new Notice.AllConnected(1, "tcp"), 160 * MILLI);
    progress.on(new Notice.AllRunning(1, 0, 50, 2), 180 * MILLI);
    progress.on(new Notice.Finished(0, 1, ""), 200 * MILLI);
  }

  @Test
  void tellsOneLineAStageWithItsTime() {
    tell(Verbosity.NORMAL);
    assertThat(lines)
        .containsExactly(
            "fmi: node1 lost (seen by fmirun): its daemon died",
            "fmi: epoch 1: new process on node2 (h3) (spare) for ranks 2, 3, 2.0 ms",
            "fmi: epoch 1: 2 ranks notified over the overlay, within 2 hops, 4.0 ms",
            "fmi: epoch 1: all ranks joined (H1), 50.0 ms",
            "fmi: epoch 1: all ranks connected over tcp (H2), 60.0 ms",
            "fmi: epoch 1: running (H3) from iteration 50; rebuilt 2 checkpoints from parity, 80.0"
                + " ms");
  }

  /** Nobody asks for the default, but who has nodes may count on it. */
  @Test
  void tellsAtOnceIfNodesCannotBeLostAsAsked() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.Started(4, 1, 0, 0), 0);
    progress.on(new Notice.Started(4, 2, 1, 1), 0);
    assertThat(lines).isEmpty();
    progress.on(new Notice.Started(4, 2, 1, 0), 0);
    assertThat(lines)
        .containsExactly(
            "fmi: checkpoint groups survive no node loss instead of 1 (--group-losses): place the"
                + " ranks on more nodes");
  }

  /** A spare node is lost an hour before a rank, of which one hears before the job decides. */
  @Test
  void countsFromTheFailureThatIsRecovered() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.AllRunning(0, 0, -1, 0), 0);
    progress.on(new Notice.NodeFailed(0, 2, "h3", "fmirun", "its daemon died"), MILLI);
    long failed = 3_600_000 * MILLI;
    progress.on(new Notice.Notified(0, 0, 3, 0, 0), failed);
    progress.on(new Notice.RankFailed(0, 3, "rank 0 over the overlay", "closed"), failed);
    progress.on(new Notice.RecoveryBegun(1, false, "rank 3: closed"), failed);
    progress.on(new Notice.AllJoined(1), failed + 50 * MILLI);
    assertThat(lines)
        .containsExactly(
            "fmi: node2 (h3) lost (seen by fmirun): its daemon died",
            "fmi: rank 3 lost (seen by rank 0 over the overlay): closed",
            "fmi: epoch 1: 1 rank notified over the overlay, within 0 hops, 0.0 ms",
            "fmi: epoch 1: all ranks joined (H1), 50.0 ms");
  }

  @Test
  void takesAFailureBack() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.RankFailed(0, 3, "rank 0 over the overlay", "closed"), 0);
    progress.on(new Notice.FalsePositive(1, 3, "rank 0", "its process lives"), MILLI);
    assertThat(lines)
        .containsExactly(
            "fmi: rank 3 lost (seen by rank 0 over the overlay): closed",
            "fmi: rank 3 is not lost, as rank 0 reported: its process lives");
  }

  /** Each hears of each failure, also of one during the recovery from another. */
  @Test
  void ranksAreCountedAndNotTheNoticesThatTheyGet() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.AllRunning(0, 0, -1, 0), 0);
    for (int failed = 2; failed < 4; failed++) {
      for (int rank = 0; rank < 2; rank++) {
        progress.on(new Notice.Notified(failed - 2, rank, failed, rank, 0), MILLI);
      }
      progress.on(new Notice.RankFailed(failed - 2, failed, "daemon", "was killed"), MILLI);
      progress.on(new Notice.RecoveryBegun(failed - 1, false, "was killed"), MILLI);
    }
    progress.on(new Notice.AllJoined(2), 2 * MILLI);
    assertThat(lines)
        .contains("fmi: epoch 2: 2 ranks notified over the overlay, within 1 hop, 0.0 ms");
  }

  @Test
  void correctsWhatWasToldWhenTheCauseIsKnown() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.RankFailed(0, 3, "rank 0 over the overlay", "closed"), 0);
    progress.on(new Notice.Left(0, 0, 0, 17), MILLI);
    progress.on(new Notice.CauseKnown(0, 3, "was killed by signal 9"), 2 * MILLI);
    assertThat(lines)
        .containsExactly(
            "fmi: rank 3 lost (seen by rank 0 over the overlay): closed",
            "fmi: rank 3 lost because it was killed by signal 9");
  }

  @Test
  void tellsFromWhichFilesAllGoOn() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.Level2Restored(0, "job/v3", 1, 20, "", -1), 0);
    progress.on(new Notice.RecoveryBegun(2, false, "node1 lost"), 0);
    progress.on(new Notice.Level2Restored(2, "job/v7", 1, 50, "[1, 2]", 27), 5 * MILLI);
    progress.on(new Notice.Level2Restored(2, "job/v7", 0, 50, "", -1), 6 * MILLI);
    assertThat(lines)
        .containsExactly(
            "fmi: starts from job/v3, at iteration 20 of loop 1",
            "fmi: epoch 2: rolls back to job/v7 in files, read by ranks 1, 2, at iteration 50 of"
                + " loop 1; recomputes 27 iterations, 5.0 ms",
            "fmi: epoch 2: rolls back to job/v7 in files, read by all ranks, at iteration 50 of"
                + " loop 0, 6.0 ms");
  }

  @Test
  void tellsNothingIfTold() {
    tell(Verbosity.QUIET);
    assertThat(lines).isEmpty();
  }

  @Test
  void tellsMoreToTheCurious() {
    tell(Verbosity.VERBOSE);
    assertThat(lines)
        .contains(
            "fmi: starting 4 ranks on 2 nodes, 1 spare",
            "fmi: epoch 0: running (H3) from the start",
            "fmi: epoch 1 begins: node1 lost");
  }

  /** It is what the program says, and often all ranks say the same. */
  @Test
  void showsEachStackTraceOnceThoughItIsQuiet() {
    ProgressLines progress = new ProgressLines(Verbosity.QUIET, SPEC, lines::add);
    String trace = "java.lang.Error: no\n\tat Main.main";
    progress.on(new Notice.Thrown(0, 1, 0, 5, trace), 0);
    progress.on(new Notice.Thrown(0, 2, -1, -1, trace), 0);
    assertThat(lines)
        .containsExactly(
            "fmi: rank 1 threw an exception in iteration 5 of loop 0:\n" + trace,
            "fmi: rank 2 threw an exception outside of loops, as shown above: java.lang.Error: no");
  }

  @Test
  void tellsWhoGoesBack() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.RecoveryBegun(1, false, "rank 2 was killed"), 0);
    progress.on(new Notice.RollbackDecided(1, "[2]", ""), 10 * MILLI);
    progress.on(new Notice.Continued(1, 0, 0, 175, 20, 800), 20 * MILLI);
    progress.on(new Notice.Continued(1, 1, 0, 174, 2, 40), 20 * MILLI);
    progress.on(new Notice.AllRunning(1, 0, 100, 1), 30 * MILLI);
    progress.on(new Notice.CaughtUp(1, 2, 0, 100, 174, 75), 40 * MILLI);
    progress.on(new Notice.RecoveryBegun(2, false, "rank 2 was killed"), 50 * MILLI);
    progress.on(new Notice.LoopDone(1, 0, 0, 200, 0, 0, 0), 50 * MILLI);
    progress.on(new Notice.LoopDone(1, 2, 0, 200, 75, 0, 0), 50 * MILLI);
    progress.on(new Notice.RollbackDecided(2, "", "rank 0 probes for a message"), 60 * MILLI);
    progress.on(new Notice.AllRunning(2, 0, 200, 0), 70 * MILLI);
    assertThat(String.join("\n", lines))
        .contains("local rollback: rank 2 rolls back, the other ranks continue, 10.0 ms")
        .contains(
            "from iteration 100 (other ranks: up to 175); resent 22 messages (840 B); rebuilt 1"
                + " checkpoint")
        .contains("rebuilt 1 checkpoint from parity, 30.0 ms")
        .contains(
            "epoch 1: rank 2 caught up in iteration 174 after repeating 75 iterations from 100")
        .contains(
            "global rollback: all ranks roll back because rank 0 probes for a message, 10.0 ms")
        .contains("running (H3) from iteration 200, 20.0 ms");
  }

  @Test
  void warnsOnceOfEachKind() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.Warned(1, "iterations", "rank 0 calls barrier() in iteration 5"), 0);
    progress.on(new Notice.Warned(0, "iterations", "rank 1 calls barrier() in iteration 6"), 0);
    progress.on(new Notice.Warned(1, "unreceived", "1 message was never received"), 0);
    assertThat(lines)
        .containsExactly(
            "fmi: rank 0 calls barrier() in iteration 5", "fmi: 1 message was never received");
  }

  @Test
  void tellsOnceInALoopThatALogIsTooShort() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.LogFull(0, 2, 0, 23, 20, 17_000_000, 16 << 20, 10, 42_500_000), 0);
    progress.on(new Notice.LogFull(0, 1, 0, 24, 20, 17_000_000, 16 << 20, 10, 40_000_000), 0);
    assertThat(lines)
        .containsExactly(
            "fmi: rank 2 has filled its message log in iteration 23 of loop 0: it has sent 16 MiB"
                + " since the checkpoint of iteration 20, and the log holds at most 16 MiB. Until"
                + " the next checkpoint it rolls back after any failure; if no rank has a log left,"
                + " all ranks roll back. With a checkpoint every 10 iterations, the log needs about"
                + " 41 MiB: raise --log-limit or shorten --interval");
    progress.on(new Notice.LogFull(0, 1, 1, 4, 0, 17_000_000, 16 << 20, 0, 34_000_000), 0);
    assertThat(lines).hasSize(2);
    assertThat(lines.getLast())
        .contains("Until an asynchronous checkpoint is committed, the log needs about 33 MiB:");
  }

  @Test
  void tellsOnceThatCheckpointsAreSkippedAndWhenTheyAreTakenAgain() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(
        new Notice.CheckpointSkipped(0, 1, 1, "host1", 0, 0, 1, -1, -1, "needs 8 MiB, 1 free"), 0);
    progress.on(
        new Notice.CheckpointSkipped(0, 1, 1, "host1", 0, 20, 2, -1, -1, "needs 8 MiB, 1 free"), 0);
    progress.on(new Notice.CheckpointCommitted(0, 2, 0, 40, 8, 8, 1, 1, 1), 0);
    progress.on(new Notice.CheckpointCommitted(0, 3, 0, 60, 8, 8, 1, 1, 1), 0);
    progress.on(
        new Notice.CheckpointSkipped(0, 1, 1, "host1", 0, 80, 1, 0, 60, "needs 8 MiB, 1 free"), 0);
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .startsWith(
            "fmi: the checkpoint of iteration 0 of loop 0 is skipped, because rank 1 has no")
        .contains(": needs 8 MiB, 1 free; there is none yet, so that a failure starts the program")
        .endsWith("; the job continues, and tries the next one");
    assertThat(lines.get(1))
        .isEqualTo(
            "fmi: a checkpoint was taken again, at iteration 40 of loop 0, after 2 were skipped");
    assertThat(lines.get(2)).contains("; that of iteration 60 of loop 0 stays; ");
  }

  @Test
  void tellsWhoComputesAgainInAFlowLoop() {
    ProgressLines progress = new ProgressLines(Verbosity.NORMAL, SPEC, lines::add);
    progress.on(new Notice.RecoveryBegun(1, false, "rank 1 was killed"), 0);
    progress.on(
        new Notice.RollbackDecided(1, "", true, "rank 0 is in a flowLoop, in which ranks agree"),
        10 * MILLI);
    progress.on(
        new Notice.FlowBegun(
            1, 0, 0, 2, "[1]", "[0, 2, 3, 5]", 4, "[0: 1, 1: 2, 2: 0, 3: 1, 5: 0]"),
        20 * MILLI);
    progress.on(new Notice.AllRunning(1, 0, 2, 0), 30 * MILLI);
    progress.on(new Notice.RecoveryBegun(2, false, "rank 1 was killed"), 40 * MILLI);
    progress.on(new Notice.FlowImpossible(2, 1, "it is not a flowLoop"), 50 * MILLI);
    assertThat(String.join("\n", lines))
        .contains(
            "all ranks leave their calls because rank 0 is in a flowLoop, in which ranks agree")
        .contains(
            "flow rollback: rank 1 recomputes from iteration 0 to 2, helped by ranks 0, 2, 3, 5; 4"
                + " iterations in all, the other ranks wait, 20.0 ms")
        .contains(
            "global rollback of loop 1: all ranks roll back because it is not a flowLoop, 10.0 ms")
        .doesNotContain("global rollback: ");
  }
}
