package org.fmi.job.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Pinned;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.FlushResult;
import org.fmi.job.control.FlushTask;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.Level2Order;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.Level2Setup;
import org.fmi.job.control.NodeSetup;
import org.fmi.rules.TimeWithCore;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.PinnedImage;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.Test;

class FlushesTest {
  private static final NodeFacts FACTS =
      new NodeFacts("job", new byte[32], 7, "host", "/dev/shm/fmi", "/disk/fmi", 2, 1, 1);
  private static final NodeSetup SETUP =
      NodeSetup.builder()
          .job(RankConfigs.job(4).heartbeatMillis(1000).build())
          .mainClass("Main")
          .workDirectory("/")
          .level2(new Level2Setup("/ckpt", 50, 2000, 1_000_000, List.of(), List.of()))
          .build();
  private static final Set<Integer> RANKS = Set.of(0, 2);
  private static final TimeWithCore.Look HANGS = new TimeWithCore.Look(false, 0);
  private static final TimeWithCore.Look STARVED = new TimeWithCore.Look(true, 0);

  private long now = 3;
  private final List<DaemonCommand> commands = new ArrayList<>();
  private final Flushes flushes = new Flushes(FACTS, commands::add);

  private static RankConfig config(int rank) {
    return FACTS.config(new Assignment(rank, 0, new int[] {rank}, 2, List.of()), SETUP);
  }

  private static String piece(int rank, int epoch, long version) {
    return Pinned.prefix(rank) + "e" + epoch + "-v" + version + "-ckpt-r" + rank + "-0";
  }

  private List<DaemonCommand> offer(int rank, int epoch, long version) {
    commands.clear();
    PinnedImage image =
        new PinnedImage(
            new CheckpointId(version, 0, 10 * version, false),
            piece(rank, epoch, version),
            4096,
            5,
            new int[] {64},
            new int[] {9});
    flushes.offered(config(rank), new Pinned(epoch, version, List.of(image)), RANKS);
    return List.copyOf(commands);
  }

  private List<DaemonCommand> order(Level2Order order) {
    commands.clear();
    flushes.ordered(now, order, SETUP);
    return List.copyOf(commands);
  }

  private static DaemonCommand report(Level2Report report) {
    return new DaemonCommand.Report(new FromDaemon.Level2(report));
  }

  private static void assertReady(List<DaemonCommand> in, long version) {
    assertThat(in)
        .last()
        .usingRecursiveComparison()
        .isEqualTo(
            report(
                new Level2Report.Ready(
                    0,
                    List.of(new CheckpointId(version, 0, 10 * version, false)),
                    new int[] {0, 2})));
  }

  @Test
  void whenAllRanksKeepAVersionItIsReadyAndWrittenAndLetGo() {
    assertThat(offer(2, 0, 5)).isEmpty();
    assertReady(offer(0, 0, 5), 5);
    List<DaemonCommand> run = order(new Level2Order.Flush(5, 3));
    assertThat(run)
        .singleElement()
        .isInstanceOfSatisfying(
            DaemonCommand.RunHelper.class,
            c -> {
              FlushTask.Write task = (FlushTask.Write) c.task();
              assertThat(task.directory()).isEqualTo("/ckpt");
              assertThat(task.size()).isEqualTo(4);
              assertThat(task.node()).isEqualTo(7);
              assertThat(task.oldest()).isEqualTo(3);
              assertThat(task.bytesPerSecond()).isEqualTo(1_000_000);
              assertThat(task.pieces()).isEqualTo("/disk/fmi");
              assertThat(task.ranks()).extracting(FlushTask.OfRank::rank).containsExactly(0, 2);
            });
    commands.clear();
    FlushResult.Written written = new FlushResult.Written("f", 9, 8, new int[] {0, 2});
    flushes.ended(written);
    assertThat(commands)
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactly(
            new DaemonCommand.Unpin(List.of(piece(0, 0, 5), piece(2, 0, 5))),
            report(new Level2Report.Written(5, "f", 9, 8, written.ranks())));
  }

  @Test
  void aNewerVersionThatIsReadyTakesThePlaceOfTheOlder() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    assertThat(offer(0, 0, 6)).isEmpty();
    List<DaemonCommand> ready = offer(2, 0, 6);
    assertThat(ready.getFirst())
        .isEqualTo(new DaemonCommand.Unpin(List.of(piece(0, 0, 5), piece(2, 0, 5))));
    assertReady(ready, 6);
    assertThat(order(new Level2Order.Flush(5, 3)))
        .containsExactly(
            report(
                new Level2Report.Failed(
                    5, "a newer checkpoint has taken its place in memory", false)));
  }

  @Test
  void memoryIsNotKeptForVersionsThatNeverGetReady() {
    offer(0, 0, 5);
    offer(0, 0, 6);
    assertThat(offer(0, 0, 7)).containsExactly(new DaemonCommand.Unpin(List.of(piece(0, 0, 5))));
  }

  @Test
  void whatIsOfAnEpochThatIsOverIsLetGo() {
    offer(0, 0, 5);
    assertThat(offer(2, 1, 5)).containsExactly(new DaemonCommand.Unpin(List.of(piece(0, 0, 5))));
  }

  @Test
  void whatARankHasLeftWithoutAWordIsLetGo() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    offer(2, 0, 6);
    commands.clear();
    flushes.left(2, SETUP);
    flushes.left(1, SETUP);
    flushes.left(1, null);
    // What is being written, and what is waiting.
    assertThat(commands)
        .containsExactly(
            new DaemonCommand.UnpinUnknown("l2-r2-", List.of(piece(2, 0, 5), piece(2, 0, 6))),
            new DaemonCommand.UnpinUnknown("l2-r1-", List.of()));
  }

  @Test
  void oneHelperRunsAtATime() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    offer(0, 0, 6);
    offer(2, 0, 6);
    assertThat(order(new Level2Order.Flush(6, 3)))
        .containsExactly(
            report(new Level2Report.Failed(6, "version 5 is still being written", false)));
    commands.clear();
    flushes.ended(new FlushResult.Failed("the disk is full", true));
    assertThat(commands).contains(report(new Level2Report.Failed(5, "the disk is full", true)));
    assertThat(order(new Level2Order.Flush(6, 3))).hasSize(1);
  }

  /** What follows while nothing is heard for so long, and the system says this of the helper. */
  private List<DaemonCommand> after(long millis, TimeWithCore.Look look) {
    commands.clear();
    long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
    List<DaemonCommand> all = new ArrayList<>();
    while (flushes.due().isPresent() && flushes.due().getAsLong() - end <= 0) {
      now = flushes.due().getAsLong();
      flushes.onTime(now);
      assertThat(commands).containsExactly(new DaemonCommand.LookAtHelper());
      commands.clear();
      flushes.seen(now, look, "load 149 on 2 cores");
      all.addAll(commands);
      commands.clear();
    }
    now = end;
    flushes.onTime(now);
    all.addAll(commands);
    return all;
  }

  @Test
  void aHelperThatMovesIsLeftAlone() {
    assertThat(flushes.due()).isEmpty();
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    for (int i = 0; i < 10; i++) {
      assertThat(after(1875, HANGS)).isEmpty();
      flushes.moved();
      assertThat(flushes.due()).hasValue(now + TimeUnit.MILLISECONDS.toNanos(125));
    }
    flushes.ended(new FlushResult.Failed("the disk is full", true));
    assertThat(flushes.due()).isEmpty();
    assertThat(after(5000, HANGS)).isEmpty();
  }

  @Test
  void aHelperThatStandsStillIsKilledAndNobodyWaitsForItsEnd() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    flushes.moved();
    assertThat(after(2000, HANGS))
        .containsExactly(
            new DaemonCommand.KillHelper(),
            new DaemonCommand.Unpin(List.of(piece(0, 0, 5), piece(2, 0, 5))),
            report(
                new Level2Report.Failed(
                    5,
                    "/ckpt: no progress for 2 s, the limit; the process that writes was killed."
                        + " Does the file server respond?",
                    false)));
    assertThat(flushes.due()).isEmpty();
    offer(0, 0, 6);
    offer(2, 0, 6);
    // There is one at a time, even if the system does not let go of it.
    flushes.moved();
    assertThat(order(new Level2Order.Flush(6, 3)))
        .containsExactly(
            report(
                new Level2Report.Failed(
                    6,
                    "/ckpt: the process that was killed while writing version 5 still hangs; does"
                        + " the file server respond?",
                    false)));
    commands.clear();
    flushes.ended(new FlushResult.Written("f", 9, 8, new int[] {0, 2}));
    assertThat(commands).as("it had failed").isEmpty();
    assertThat(order(new Level2Order.Flush(6, 3))).hasSize(1);
    assertThat(flushes.due()).isPresent();
  }

  @Test
  void oneThatHasNotBegunDoesNotHangWhereItIsToWrite() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    assertThat(after(1875, HANGS)).isEmpty();
    assertThat(after(125, HANGS))
        .last()
        .isEqualTo(
            report(
                new Level2Report.Failed(
                    5,
                    "the process that writes did not start within 2 s, the limit, and was killed;"
                        + " do the file systems of FMI and of Java respond?",
                    false)));
  }

  @Test
  void oneThatWaitsForACoreIsLeftAloneAndTheUserIsTold() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    assertThat(after(875, STARVED)).isEmpty();
    assertThat(after(125, STARVED))
        .containsExactly(
            new DaemonCommand.Report(
                new FromDaemon.Warning(
                    "the process that writes checkpoint 5 to files waits for a core because the"
                        + " machine is overloaded (load 149 on 2 cores); the checkpoint will be"
                        + " late")),
            report(new Level2Report.Starved(5)));
    assertThat(after(20_000, STARVED))
        .as("the job hears of it again and again, the user does not")
        .hasSize(20)
        .containsOnly(report(new Level2Report.Starved(5)));
    flushes.moved();
    assertThat(after(1875, HANGS)).isEmpty();
    assertThat(after(125, HANGS)).as("now it hangs").contains(new DaemonCommand.KillHelper());
  }

  @Test
  void aLookAtOneThatHasEndedMeanwhileSaysNothing() {
    offer(0, 0, 5);
    offer(2, 0, 5);
    order(new Level2Order.Flush(5, 3));
    flushes.ended(new FlushResult.Failed("the disk is full", true));
    commands.clear();
    flushes.seen(now, HANGS, "");
    assertThat(commands).isEmpty();
  }

  @Test
  void aManifestIsGivenToAHelper() {
    byte[] manifest = {1, 2};
    assertThat(order(new Level2Order.Publish(5, 3, manifest, 2)))
        .containsExactly(
            new DaemonCommand.RunHelper(new FlushTask.Publish("/ckpt", "job", 5, 3, manifest, 2)));
    commands.clear();
    flushes.ended(new FlushResult.Published());
    assertThat(commands).containsExactly(report(new Level2Report.Published(5)));
  }
}
