package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.fmi.control.Notice;
import org.fmi.job.control.Level2Report;
import org.fmi.spi.CheckpointId;
import org.junit.jupiter.api.Test;

class FlushCoordinatorTest {
  private final FlushCoordinator coordinator = new FlushCoordinator(3, 2);
  private final List<Notice> notices = new ArrayList<>();

  /** When something was being written. */
  private final List<FlushCommand> spans = new ArrayList<>();

  private static List<CheckpointId> needed(long version) {
    return List.of(new CheckpointId(version, 0, 10 * version, false));
  }

  /** Node 0 has ranks 0 and 2, node 1 has rank 1. */
  private static Level2Report.Ready ready(int node, long version) {
    return new Level2Report.Ready(0, needed(version), ranks(node));
  }

  private static int[] ranks(int node) {
    return node == 0 ? new int[] {0, 2} : new int[] {1};
  }

  private static Level2Report.Written written(int node, long version) {
    return new Level2Report.Written(version, "n" + node, 100, 7, ranks(node));
  }

  private List<FlushCommand> on(int node, Level2Report report) {
    return split(coordinator.on(node, report));
  }

  private List<FlushCommand> split(List<FlushCommand> commands) {
    List<FlushCommand> others = new ArrayList<>();
    for (FlushCommand each : commands) {
      switch (each) {
        case FlushCommand.Report report -> notices.add(report.notice());
        case FlushCommand.Begun _, FlushCommand.Ended _ -> spans.add(each);
        case FlushCommand.Flush _, FlushCommand.Publish _, FlushCommand.Finished _ ->
            others.add(each);
      }
    }
    return others;
  }

  @Test
  void aVersionOfAllRanksIsWrittenAndThenCounts() {
    assertThat(on(0, ready(0, 5))).isEmpty();
    assertThat(on(1, ready(1, 5)))
        .containsExactly(new FlushCommand.Flush(0, 5, -1), new FlushCommand.Flush(1, 5, -1));
    assertThat(on(1, written(1, 5))).isEmpty();
    List<FlushCommand> publish = on(0, written(0, 5));
    assertThat(publish).hasSize(1);
    assertThat(publish.getFirst())
        .isInstanceOfSatisfying(
            FlushCommand.Publish.class,
            c -> {
              assertThat(c.node()).isZero();
              assertThat(c.needed()).isEqualTo(needed(5));
              assertThat(c.files()).extracting(Level2Report.Written::name).contains("n0", "n1");
            });
    assertThat(on(0, new Level2Report.Published(5))).isEmpty();
    assertThat(notices)
        .containsExactly(
            new Notice.Level2Begun(5, 0, 50),
            new Notice.Level2Flushed(5, 1, 100),
            new Notice.Level2Flushed(5, 0, 100),
            new Notice.Level2Committed(5, 0, 50, 200));
    assertThat(spans).containsExactly(new FlushCommand.Begun(), new FlushCommand.Ended(true));
  }

  @Test
  void whileOneIsUnderWayTheNewestWaits() {
    begin(5);
    for (long version : new long[] {6, 7}) {
      assertThat(on(0, ready(0, version))).isEmpty();
      assertThat(on(1, ready(1, version))).isEmpty();
    }
    on(0, written(0, 5));
    on(1, written(1, 5));
    assertThat(on(0, new Level2Report.Published(5)))
        .containsExactly(new FlushCommand.Flush(0, 7, -1), new FlushCommand.Flush(1, 7, -1));
    assertThat(spans)
        .containsExactly(
            new FlushCommand.Begun(), new FlushCommand.Ended(true), new FlushCommand.Begun());
  }

  @Test
  void thatOneTakesTooLongIsToldOnce() {
    begin(1);
    for (long version = 2; version < 30; version++) {
      assertThat(both(version)).isEmpty();
    }
    assertThat(notices).hasSize(2);
    assertThat(notices.getLast())
        .isInstanceOfSatisfying(
            Notice.Degraded.class,
            n -> assertThat(n.what()).startsWith("checkpoint 1 is still being written"));
  }

  @Test
  void afterAFailureOneIsTriedAtOnceAndThenFewer() {
    begin(1);
    fail(1, 0);
    assertThat(spans).containsExactly(new FlushCommand.Begun(), new FlushCommand.Ended(false));
    begin(2);
    fail(2, 1);
    assertThat(both(3)).isEmpty();
    begin(4);
    fail(4, 3);
    assertThat(both(5)).isEmpty();
    assertThat(both(6)).isEmpty();
    assertThat(both(7)).isEmpty();
    begin(8);
  }

  private void fail(long version, int leftOut) {
    fail(version, leftOut, true);
  }

  private void fail(long version, int leftOut, boolean full) {
    assertThat(on(0, new Level2Report.Failed(version, "the disk is full", full))).isEmpty();
    assertThat(on(1, written(1, version))).isEmpty();
    assertThat(notices.getLast())
        .isEqualTo(new Notice.Level2Failed(version, 10 * version, "the disk is full", leftOut));
  }

  private List<FlushCommand> both(long version) {
    on(0, ready(0, version));
    return on(1, ready(1, version));
  }

  private void begin(long version) {
    assertThat(both(version))
        .containsExactly(
            new FlushCommand.Flush(0, version, -1), new FlushCommand.Flush(1, version, -1));
  }

  @Test
  void whoeverCannotPublishIsReplacedByTheNext() {
    begin(5);
    on(0, written(0, 5));
    on(1, written(1, 5));
    assertThat(on(0, new Level2Report.Failed(5, "not seen", false)))
        .singleElement()
        .isInstanceOfSatisfying(FlushCommand.Publish.class, c -> assertThat(c.node()).isEqualTo(1));
    on(1, new Level2Report.Failed(5, "not seen here either", false));
    assertThat(notices.getLast())
        .isEqualTo(new Notice.Level2Failed(5, 50, "not seen here either", 0));
  }

  @Test
  void aNodeThatIsLostWhileItWritesEndsTheAttempt() {
    begin(5);
    on(0, written(0, 5));
    assertThat(split(coordinator.lost(1, "node1"))).isEmpty();
    assertThat(notices.getLast())
        .isEqualTo(new Notice.Level2Failed(5, 50, "node1 was lost while writing its file", 0));
    // Its rank is on a spare now.
    on(0, new Level2Report.Ready(1, needed(6), ranks(0)));
    assertThat(on(2, new Level2Report.Ready(1, needed(6), ranks(1))))
        .containsExactly(new FlushCommand.Flush(0, 6, -1), new FlushCommand.Flush(2, 6, -1));
  }

  @Test
  void aNodeThatHasWrittenMayBeLost() {
    begin(5);
    on(0, written(0, 5));
    split(coordinator.lost(0, "node0"));
    assertThat(on(1, written(1, 5)))
        .singleElement()
        .isInstanceOfSatisfying(FlushCommand.Publish.class, c -> assertThat(c.node()).isEqualTo(1));
    split(coordinator.lost(1, "node1"));
    assertThat(notices.getLast())
        .isEqualTo(new Notice.Level2Failed(5, 50, "node1 was lost while writing the manifest", 0));
  }

  @Test
  void whatIsOfAnEpochThatIsOverIsNotMixedIn() {
    on(0, ready(0, 5));
    assertThat(on(1, new Level2Report.Ready(1, needed(5), ranks(1)))).isEmpty();
    assertThat(on(0, ready(0, 5))).isEmpty();
    assertThat(on(0, new Level2Report.Ready(1, needed(5), ranks(0)))).hasSize(2);
  }

  @Test
  void nothingIsWaitedForAtTheEndIfNothingIsToBeWritten() {
    assertThat(coordinator.awaited()).isNull();
    assertThat(split(coordinator.finish(true))).containsExactly(new FlushCommand.Finished(-1, ""));
    commit(5);
    assertThat(split(coordinator.finish(true))).containsExactly(new FlushCommand.Finished(5, ""));
    // Only some ranks keep it.
    on(0, ready(0, 6));
    assertThat(split(coordinator.finish(true))).containsExactly(new FlushCommand.Finished(5, ""));
  }

  @Test
  void theEndWaitsForWhatIsUnderWayAndForTheNewestThatIsReady() {
    begin(5);
    both(6);
    both(7);
    assertThat(coordinator.awaited()).isEqualTo(needed(5).getLast());
    assertThat(split(coordinator.finish(true))).isEmpty();
    on(0, written(0, 5));
    on(1, written(1, 5));
    assertThat(on(0, new Level2Report.Published(5)))
        .containsExactly(new FlushCommand.Flush(0, 7, -1), new FlushCommand.Flush(1, 7, -1));
    on(0, written(0, 7));
    on(1, written(1, 7));
    assertThat(on(0, new Level2Report.Published(7)))
        .containsExactly(new FlushCommand.Finished(7, ""));
  }

  @Test
  void afterAFailureOfTheProgramNothingMoreIsBegun() {
    begin(5);
    both(6);
    assertThat(split(coordinator.finish(false))).isEmpty();
    assertThat(on(0, new Level2Report.Failed(5, "the disk is full", false)))
        .containsExactly(new FlushCommand.Finished(-1, "the disk is full"));
  }

  @Test
  void whatWasLeftOutIsTriedAtTheEnd() {
    begin(1);
    fail(1, 0);
    begin(2);
    fail(2, 1);
    assertThat(both(3)).isEmpty();
    assertThat(coordinator.awaited()).isNull();
    assertThat(split(coordinator.finish(true)))
        .containsExactly(new FlushCommand.Flush(0, 3, -1), new FlushCommand.Flush(1, 3, -1));
  }

  @Test
  void aVersionIsWaitedForBeforeAllAreReadyForIt() {
    begin(4);
    assertThat(split(coordinator.finish(5))).isEmpty();
    on(0, written(0, 4));
    on(1, written(1, 4));
    assertThat(on(0, new Level2Report.Published(4))).isEmpty();
    begin(5);
    on(0, written(0, 5));
    on(1, written(1, 5));
    assertThat(on(0, new Level2Report.Published(5)))
        .containsExactly(new FlushCommand.Finished(5, ""));
    assertThat(split(coordinator.finish(5))).containsExactly(new FlushCommand.Finished(5, ""));
  }

  @Test
  void ifThatVersionFailsTheJobMayGoOn() {
    begin(4);
    assertThat(split(coordinator.finish(5))).isEmpty();
    // The one before it fails: that is not the answer.
    assertThat(on(0, new Level2Report.Failed(4, "no", false))).isEmpty();
    assertThat(on(1, written(1, 4))).isEmpty();
    begin(5);
    assertThat(on(0, new Level2Report.Failed(5, "the disk is full", false)))
        .containsExactly(new FlushCommand.Finished(-1, "the disk is full"));
    assertThat(on(1, written(1, 5))).isEmpty();
    // As after any second failure.
    assertThat(both(6)).isEmpty();
    begin(7);
  }

  @Test
  void theLossOfANodeEndsTheWaitingToo() {
    begin(5);
    assertThat(split(coordinator.finish(true))).isEmpty();
    assertThat(split(coordinator.lost(1, "node1")))
        .containsExactly(new FlushCommand.Finished(-1, "node1 was lost while writing its file"));
  }

  @Test
  void whatIsNotWaitedForAnyLongerIsGivenUp() {
    begin(5);
    both(6);
    split(coordinator.finish(true));
    assertThat(split(coordinator.stop("it took too long"))).isEmpty();
    assertThat(notices.getLast()).isEqualTo(new Notice.Level2Failed(5, 50, "it took too long", 0));
    assertThat(on(0, written(0, 5))).isEmpty();
    assertThat(on(1, written(1, 5))).isEmpty();
  }

  @Test
  void onlyANodeThatIsWaitedForMayBeStarved() {
    begin(5);
    assertThat(coordinator.wasStarved()).isFalse();
    assertThat(on(1, new Level2Report.Starved(4))).isEmpty();
    assertThat(coordinator.wasStarved()).as("of another version").isFalse();
    on(1, new Level2Report.Starved(5));
    assertThat(coordinator.wasStarved()).isTrue();
    assertThat(coordinator.wasStarved()).as("since it was asked").isFalse();
    on(1, written(1, 5));
    on(1, new Level2Report.Starved(5));
    assertThat(coordinator.wasStarved()).as("it has written").isFalse();
    fail(5, 0);
    on(0, new Level2Report.Starved(5));
    assertThat(coordinator.wasStarved()).as("it has failed").isFalse();
  }

  @Test
  void whereThereIsNoRoomTheOldestMayGoButNotTheOnlyOne() {
    commit(1);
    commit(2);
    both(3);
    fail(3, 0, true);
    // It was not enough.
    begin(4);
    fail(4, 1, true);
    assertThat(both(5)).isEmpty();
    commit(6);
    assertThat(both(7)).contains(new FlushCommand.Flush(0, 7, 2));
    // Not for lack of room: it is still there.
    fail(7, 0, false);
    assertThat(both(8)).contains(new FlushCommand.Flush(0, 8, 2));
    on(0, written(0, 8));
    assertThat(on(1, written(1, 8)))
        .singleElement()
        .isInstanceOfSatisfying(
            FlushCommand.Publish.class, c -> assertThat(c.oldest()).isEqualTo(2));
    on(0, new Level2Report.Published(8));
    // Two are kept.
    assertThat(both(9)).contains(new FlushCommand.Flush(0, 9, 6));
  }

  private void commit(long version) {
    both(version);
    on(0, written(0, version));
    on(1, written(1, version));
    on(0, new Level2Report.Published(version));
  }

  /** Whatever nodes do: one at a time, only of all ranks, ever newer; and in the end it goes on. */
  @Test
  void randomSchedules() {
    for (long seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      FlushCoordinator maker = new FlushCoordinator(3, 2);
      TreeMap<Integer, FlushCommand> asked = new TreeMap<>();
      Set<Long> counted = new HashSet<>();
      long newest = -1;
      long version = 0;
      boolean writing = false;
      for (int step = 0; step < 400; step++) {
        List<FlushCommand> commands = new ArrayList<>();
        if (asked.isEmpty() || random.nextInt(3) == 0) {
          version++;
          for (int node = 0; node < 2; node++) {
            if (random.nextInt(8) != 0) {
              commands.addAll(maker.on(node, ready(node, version)));
            }
          }
        } else {
          int node = random.nextBoolean() ? asked.firstKey() : asked.lastKey();
          FlushCommand task = Objects.requireNonNull(asked.remove(node));
          commands.addAll(
              random.nextInt(10) == 0
                  ? maker.lost(node, "node" + node)
                  : maker.on(node, answer(node, task, random.nextInt(6) == 0)));
        }
        for (FlushCommand each : commands) {
          switch (each) {
            case FlushCommand.Flush c -> {
              assertThat(asked.put(c.node(), c)).as("seed %d", seed).isNull();
              assertThat(c.version()).isGreaterThanOrEqualTo(newest);
              newest = c.version();
            }
            case FlushCommand.Publish c -> {
              assertThat(asked.put(c.node(), c)).as("seed %d", seed).isNull();
              assertThat(c.files().stream().mapToInt(file -> file.ranks().length).sum())
                  .isEqualTo(3);
              assertThat(c.files()).allMatch(file -> file.version() == c.version());
            }
            case FlushCommand.Begun _ -> {
              assertThat(writing).as("seed %d", seed).isFalse();
              writing = true;
            }
            case FlushCommand.Ended _ -> {
              assertThat(writing).as("seed %d", seed).isTrue();
              writing = false;
            }
            case FlushCommand.Finished _ -> throw new AssertionError("nobody waits");
            case FlushCommand.Report c -> {
              if (c.notice() instanceof Notice.Level2Committed n) {
                assertThat(counted.add(n.version())).as("seed %d", seed).isTrue();
              }
            }
          }
        }
      }
      assertThat(counted).as("seed %d", seed).isNotEmpty();
      assertFinishes(maker, asked, random, seed);
    }
  }

  /** Whatever nodes do, the end comes, once. */
  private static void assertFinishes(
      FlushCoordinator maker,
      NavigableMap<Integer, FlushCommand> asked,
      SplittableRandom random,
      long seed) {
    List<FlushCommand> commands = new ArrayList<>(maker.finish(random.nextBoolean()));
    int finished = 0;
    while (true) {
      for (FlushCommand each : commands) {
        switch (each) {
          case FlushCommand.Flush c -> asked.put(c.node(), c);
          case FlushCommand.Publish c -> asked.put(c.node(), c);
          case FlushCommand.Finished _ -> finished++;
          case FlushCommand.Begun _, FlushCommand.Ended _, FlushCommand.Report _ -> {
            // nothing to do
          }
        }
      }
      Map.Entry<Integer, FlushCommand> task = asked.pollFirstEntry();
      if (task == null) {
        break;
      }
      commands =
          random.nextInt(4) == 0
              ? maker.lost(task.getKey(), "node" + task.getKey())
              : maker.on(
                  task.getKey(), answer(task.getKey(), task.getValue(), random.nextInt(4) == 0));
    }
    assertThat(finished).as("seed %d", seed).isOne();
  }

  private static Level2Report answer(int node, FlushCommand task, boolean fails) {
    return switch (task) {
      case FlushCommand.Flush c ->
          fails ? new Level2Report.Failed(c.version(), "no", false) : written(node, c.version());
      case FlushCommand.Publish c ->
          fails
              ? new Level2Report.Failed(c.version(), "no", false)
              : new Level2Report.Published(c.version());
      case FlushCommand.Begun _,
          FlushCommand.Ended _,
          FlushCommand.Finished _,
          FlushCommand.Report _ ->
          throw new AssertionError("not a task");
    };
  }
}
