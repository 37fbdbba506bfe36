package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.fmi.control.Counter;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.job.JobSpec;
import org.fmi.job.control.FromDaemon;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two ranks on two nodes, and a spare. */
final class JobViewTest {
  private static final long SECOND = 1_000_000_000;

  private final JobView view =
      new JobView(
          new JobSpec(
              2,
              new JobSpec.Room(
                  List.of(
                      new JobSpec.Node("alpha", 1, false),
                      new JobSpec.Node("beta", 1, false),
                      new JobSpec.Node("gamma", 1, true)),
                  1,
                  JobSpec.OnNoSpare.SHARE),
              new JobSpec.Grouping(16, 1),
              JobSpec.Recovery.ofAll(10),
              List.of()),
          "0123456789ab",
          "app.Main 7",
          false,
          false,
          0);

  @BeforeEach
  void start() {
    for (int n = 0; n < 3; n++) {
      view.nodeUp(n, 100 + n);
      view.noteMessage(n, SECOND);
    }
    view.spawned(0, 0, 0);
    view.spawned(1, 1, 0);
    view.on(new Notice.AllRunning(0, -1, -1, 0), SECOND);
  }

  private void show(
      int rank, int incarnation, long iteration, RankReport.@Nullable Waiting waiting, long nanos) {
    view.reported(
        new FromDaemon.Reports(
            List.of(
                new FromDaemon.Report(
                    rank,
                    incarnation,
                    1000 + rank,
                    new RankReport(
                        0,
                        iteration < 0 ? "outside" : "loop",
                        iteration < 0 ? -1 : 0,
                        iteration,
                        iteration < 0 ? -1 : 1000,
                        waiting,
                        Map.of(
                            Counter.MEMORY_BYTES, 64L << 20,
                            Counter.PEAK_MEMORY_BYTES, 70L << 20,
                            Counter.MESSAGES_SENT, 5L,
                            Counter.BYTES_SENT, 3L << 20,
                            Counter.PEERS_SHM, 1L),
                        List.of())))),
        nanos);
  }

  private String text(long nanos) {
    return new String(view.text(nanos), StandardCharsets.UTF_8);
  }

  @Test
  void theJobIsWhereItsLastRankIs() {
    for (int second = 2; second <= 12; second++) {
      show(0, 0, 100L * second, null, second * SECOND);
      show(1, 0, 50L * second, null, second * SECOND);
    }
    Progress progress = view.progress(12 * SECOND);
    assertThat(progress.iteration()).isEqualTo(600);
    assertThat(progress.perSecond()).isEqualTo(50);
    assertThat(progress.secondsLeft()).isEqualTo(8);
    assertThat(progress.text())
        .isEqualTo("iteration 600 of 1000, 50.0/s, 8.0 s left, 3 nodes, epoch 0");
  }

  @Test
  void checkpointsAreShownWithTheirShareOfTheTime() {
    view.on(
        new Notice.CheckpointCommitted(0, 1, 0, 10, 64, 64, SECOND, SECOND, SECOND), 11 * SECOND);
    assertThat(view.progress(31 * SECOND).text())
        .isEqualTo("running, checkpoints 10.0 %, 3 nodes, epoch 0");
    assertThat(text(31 * SECOND))
        .contains("last checkpoint: iteration 10, 20 s ago, 64 B per rank\n");
  }

  @Test
  void aRecoveryIsSummedUp() {
    view.on(new Notice.RankFailed(0, 1, "daemon", "was killed"), 10 * SECOND);
    view.on(new Notice.RecoveryBegun(1, false, "rank 1 was killed"), 10 * SECOND);
    view.spawned(1, 2, 1);
    assertThat(view.progress(11 * SECOND).text()).isEqualTo("recovering, 3 nodes, epoch 1");
    view.on(new Notice.AllRunning(1, 0, 10, 0), 12 * SECOND);
    assertThat(text(13 * SECOND)).contains("\n1 recovery, 2.0 s in all\n");
  }

  @Test
  void aTableForAPerson() {
    view.on(new Notice.NodeFailed(0, 1, "beta", "fmirun", "lost"), 2 * SECOND);
    show(0, 0, 17, new RankReport.Waiting("recv", 1, 7, "world", 12 * SECOND), 20 * SECOND);
    assertThat(text(20 * SECOND))
        .isEqualTo(
            """
            job 0123456789ab, for 20 s: app.Main 7
            running, 2 nodes, epoch 0
            no checkpoint yet

            node   state  ranks  daemon   heard
            alpha  up         1  pid 100  19 s
            beta   down       1  pid 101  -
            gamma  spare      0  pid 102  -

            rank  node    pid  epoch  iteration  rate/s  memory  heard  does
               0  alpha  1000      0         17       -  64 MiB    now  recv waits for 1, tag 7, 12 s
               1  beta      -      -          -       -       -      -  is starting
            """);
  }

  @Test
  void aSilentNodeIsUpAndMayReturn() {
    view.on(new Notice.NodeSilent(0, 1, "beta", true), 2 * SECOND);
    assertThat(text(20 * SECOND)).contains("beta   silent      1  pid 101  19 s\n");
    assertThat(view.isUp(1) && view.isSilent(1)).isTrue();
    view.on(new Notice.NodeHeard(0, 1, "beta"), 3 * SECOND);
    assertThat(text(20 * SECOND)).contains("beta   up         1  pid 101  19 s\n");
    view.on(new Notice.NodeSilent(0, 1, "beta", true), 4 * SECOND);
    view.on(new Notice.NodeFailed(0, 1, "beta", "fmirun", "lost"), 5 * SECOND);
    assertThat(text(20 * SECOND)).contains("beta   down       1  pid 101  -\n");
    view.nodeUp(1, 103);
    assertThat(view.isSilent(1)).isFalse();
  }

  @Test
  void jsonHasAllOfIt() {
    show(0, 0, 17, new RankReport.Waiting("recv", 1, 7, "world", 12 * SECOND), 2 * SECOND);
    show(1, 0, 18, null, 2 * SECOND);
    String json =
        new String(view.json(3 * SECOND), StandardCharsets.UTF_8).replaceAll("[ \n]+", "");
    assertThat(json)
        .startsWith("{\"job\":\"0123456789ab\",\"command\":\"app.Main7\",\"state\":\"running\"")
        .contains("\"iteration\":17,\"iterations\":1000")
        .contains("\"node\":2,\"name\":\"gamma\",\"up\":true,\"spare\":true,\"pid\":102")
        .contains(
            "\"waiting\":{\"operation\":\"recv\",\"peer\":1,\"tag\":7,\"communicator\":\"world\","
                + "\"seconds\":12.0}")
        .contains("\"memory_bytes\":67108864")
        .endsWith("}");
  }

  @Test
  void whatAnEarlierProcessOrNoRankShowsDoesNotCount() {
    view.spawned(1, 2, 1);
    show(1, 0, 500, null, 2 * SECOND);
    show(7, 0, 500, null, 2 * SECOND);
    assertThat(text(2 * SECOND)).contains("is starting").doesNotContain("500");
  }

  @Test
  void aShortJobInWhichNothingHappenedIsNotSummedUp() {
    assertThat(view.summary(59 * SECOND, false)).isEmpty();
    assertThat(view.summary(60 * SECOND, false))
        .containsExactly("took 60 s: no recovery, 0 checkpoints");
  }

  /** There were no checkpoints that it could have taken. */
  @Test
  void ofAJobThatNeverRanOnlyTheTimeIsReported() {
    JobView never = new JobView(view.spec, "0123456789ab", "app.Main", false, true, 0);
    never.nodeUp(0, 100);
    assertThat(never.ran()).isFalse();
    assertThat(never.summary(59 * SECOND, false)).isEmpty();
    assertThat(never.summary(120 * SECOND, false)).containsExactly("took 2 min");
    assertThat(never.summary(5 * SECOND, true)).containsExactly("took 5.0 s");
    assertThat(view.ran()).isTrue();
  }

  @Test
  void aJobThatRecoveredIsSummedUpInALine() {
    recover();
    assertThat(view.summary(13 * SECOND, false))
        .containsExactly("took 13 s: 1 recovery (2.0 s), 0 checkpoints");
  }

  @Test
  void lostRanksThatAreNotReplacedAreNamed() {
    view.on(new Notice.Died(1, 2, 3, "daemon", "was killed by signal 9"), 12 * SECOND);
    assertThat(view.summary(13 * SECOND, false))
        .containsExactly("took 13 s: 1 rank lost, no recovery, 0 checkpoints");
  }

  @Test
  void whoWantsToKnowAllGetsAll() {
    show(1, 0, 500, null, 2 * SECOND);
    recover();
    show(0, 0, 510, null, 12 * SECOND);
    view.on(new Notice.CheckpointCommitted(1, 1, 0, 10, 64, 64, SECOND, 0, 0), 13 * SECOND);
    view.on(new Notice.CheckpointCommitted(1, 2, 0, 50, 64, 64, SECOND, 0, 0), 14 * SECOND);
    assertThat(view.summary(21 * SECOND, true))
        .containsExactly(
            "took 21 s",
            "recoveries: 1 recovery (2.0 s)",
            "checkpoints: 2 checkpoints (10.0 % of the time), 64 B per rank, the last one after 40"
                + " iterations",
            "messages: 10 (6.0 MiB), over shm (1 connection), according to the last reports of the"
                + " ranks",
            "peak memory: 70 MiB, rank 1");
  }

  private void recover() {
    view.on(new Notice.RankFailed(0, 1, "daemon", "was killed"), 10 * SECOND);
    view.on(new Notice.RecoveryBegun(1, false, "rank 1 was killed"), 10 * SECOND);
    view.spawned(1, 2, 1);
    view.on(new Notice.AllRunning(1, 0, 10, 0), 12 * SECOND);
  }
}
