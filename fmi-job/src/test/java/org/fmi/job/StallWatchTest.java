package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.fmi.control.Counter;
import org.fmi.control.Notice;
import org.fmi.control.RankReport;
import org.fmi.control.RankReport.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of a job that stands still, and when. Each rank shows itself every second. */
final class StallWatchTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** Close to where the clock wraps around. */
  private static final long BEGIN = Long.MAX_VALUE - 30 * SECOND;

  private static final long WAITS_NOT = Long.MIN_VALUE;

  /** What a rank does from some second on. */
  private record Doing(
      String place, String operation, int peer, long iteration, long sent, long from) {
    RankReport report(int epoch, long second) {
      Waiting waiting =
          from == WAITS_NOT
              ? null
              : new Waiting(operation, peer, 7, "world", (second - from) * SECOND + SECOND / 8);
      return new RankReport(
          epoch, place, 0, iteration, 100, waiting, Map.of(Counter.MESSAGES_SENT, sent), List.of());
    }

    Doing at(String other) {
      return new Doing(other, operation, peer, iteration, sent, from);
    }
  }

  private static Doing computes(long iteration) {
    return new Doing("loop", "", 0, iteration, 0, WAITS_NOT);
  }

  private static Doing receives(int peer) {
    return receives(peer, 0);
  }

  private static Doing receives(int peer, long from) {
    return new Doing("loop", "recv", peer, 17, 0, from);
  }

  private static final Doing SILENT = computes(-1);

  private final List<String> told = new ArrayList<>();
  private final List<Stall> stalls = new ArrayList<>();
  private int epoch;
  private long second;

  private long now() {
    return BEGIN + second * SECOND;
  }

  /** Lets time pass, and notes the second at which something was told, and what. */
  private void pass(StallWatch watch, long seconds, Doing... ranks) {
    for (long end = second + seconds; second < end; second++) {
      for (int r = 0; r < ranks.length; r++) {
        if (!ranks[r].equals(SILENT)) {
          watch.shown(r, ranks[r].report(epoch, second), now());
        }
      }
      Stall stall = watch.look(now());
      if (stall != null) {
        stalls.add(stall);
        told.add(second + " " + text(stall));
      }
    }
  }

  private static String text(Stall stall) {
    StringBuilder text = new StringBuilder();
    switch (stall) {
      case Stall.AllWait s -> {
        text.append("all for ").append(s.nanos() / SECOND);
        for (Stall.Waiter w : s.waiters()) {
          text.append(", ").append(w.rank()).append(" for ").append(w.waiting().peer());
        }
        text.append(s.circle().isEmpty() ? "" : ", circle " + s.circle());
        text.append(s.ended().isEmpty() ? "" : ", ended " + s.ended());
      }
      case Stall.SomeAwaited s -> s.ranks().forEach(rank -> add(text, rank));
      case Stall.RecoveryWaits s -> {
        text.append("recovery ");
        s.ranks().forEach(rank -> add(text, rank));
      }
    }
    return text.toString();
  }

  private static void add(StringBuilder text, Stall.Awaited rank) {
    text.append(text.isEmpty() || text.toString().endsWith(" ") ? "" : ", ");
    text.append(rank.rank()).append(rank.heard() ? " computes " : " unheard ");
    text.append(rank.replays() ? "again " : "").append(rank.nanos() / SECOND);
    text.append(rank.waiters().isEmpty() ? "" : " for " + rank.waiters());
  }

  private static StallWatch watch(int size) {
    return new StallWatch(size, 10 * SECOND);
  }

  // ---- all wait

  @Test
  void allWait() {
    StallWatch watch = watch(3);
    Doing[] ranks = {receives(1), receives(0), receives(-1, 2)};
    pass(watch, 2, receives(1), receives(0), computes(17));
    pass(watch, 10, ranks);
    assertThat(told).isEmpty();
    pass(watch, 1, ranks);
    assertThat(told).containsExactly("12 all for 10, 0 for 1, 1 for 0, 2 for -1, circle [0, 1]");
    assertThat(((Stall.AllWait) stalls.getFirst()).waiters())
        .extracting(w -> w.nanos() / SECOND)
        .containsExactly(12L, 12L, 10L);
  }

  @Test
  void theCircleBeginsAtItsLowestRank() {
    pass(watch(4), 11, receives(3), receives(2), receives(3), receives(1));
    assertThat(told).hasSize(1).first().asString().endsWith("circle [1, 2, 3]");
  }

  @Test
  void thereNeedNotBeACircle() {
    pass(watch(2), 11, receives(-1), receives(0));
    assertThat(told).containsExactly("10 all for 10, 0 for -1, 1 for 0");
  }

  @Test
  void itIsToldAgainEverMoreRarely() {
    pass(watch(1), 3 * 3600, receives(-1));
    assertThat(told)
        .containsExactly(
            "10 all for 10, 0 for -1",
            "70 all for 70, 0 for -1",
            "670 all for 670, 0 for -1",
            "4270 all for 4270, 0 for -1",
            "7870 all for 7870, 0 for -1");
  }

  @Test
  void theNextStandstillIsToldAsTheFirstWas() {
    StallWatch watch = watch(1);
    pass(watch, 20, receives(-1));
    pass(watch, 1, computes(18));
    pass(watch, 20, receives(-1, second));
    assertThat(told).containsExactly("10 all for 10, 0 for -1", "31 all for 10, 0 for -1");
  }

  @Test
  void messagesIterationsAndNewWaitsAreProgress() {
    StallWatch watch = watch(2);
    for (long i = 0; i < 40; i++) {
      pass(watch, 1, receives(1), new Doing("loop", "recv", 0, 17, i, 0));
    }
    for (long i = 0; i < 40; i++) {
      pass(watch, 1, receives(1), new Doing("loop", "recv", 0, i, 0, 0));
    }
    for (int i = 0; i < 40; i++) {
      pass(watch, 1, receives(1), receives(0, second));
    }
    assertThat(told).isEmpty();
  }

  @Test
  void ranksThatHaveEndedAreNotWaitedFor() {
    StallWatch watch = watch(3);
    pass(watch, 100, computes(-2).at("closed"), receives(0).at("closed"), computes(17));
    pass(watch, 11, computes(-2).at("closed"), SILENT, receives(0, 100));
    assertThat(told).containsExactly("110 all for 10, 2 for 0, ended [0, 1]");
    pass(watch, 1000, computes(-2).at("closed"), SILENT, computes(-2).at("closed"));
    assertThat(told).hasSize(1);
  }

  // ---- some wait

  @Test
  void aRankForWhichAllWaitIsNamed() {
    pass(watch(4), 32, receives(3), receives(0), receives(-1), computes(17));
    assertThat(told).containsExactly("10 3 computes 10 for [0, 1, 2]");
  }

  @Test
  void ofSeveralThatComputeEachIsNamedWithThoseThatWaitForIt() {
    pass(watch(4), 11, receives(1), computes(17), computes(17), receives(0));
    assertThat(told).containsExactly("10 1 computes 10 for [0, 3]");
  }

  @Test
  void whereMostComputeNothingIsTold() {
    pass(watch(3), 100, receives(1), computes(17), computes(17));
    assertThat(told).isEmpty();
  }

  @Test
  void longIterationsAreNotToldOfEachTime() {
    StallWatch watch = watch(2);
    for (long i = 0; i < 200; i++) {
      pass(watch, 20, receives(1, second), computes(i));
    }
    assertThat(told)
        .containsExactly(
            "10 1 computes 10 for [0]", "70 1 computes 10 for [0]", "670 1 computes 10 for [0]");
  }

  @Test
  void aRankThatIsStoppedHasNotBeenHeard() {
    StallWatch watch = watch(3);
    pass(watch, 5, computes(16), computes(16), computes(16));
    pass(watch, 20, receives(2, 5), receives(2, 5), SILENT);
    assertThat(told).containsExactly("15 2 unheard 11 for [0, 1]");
  }

  @Test
  void thatItIsNotHeardIsToldThoughItWasSaidToCompute() {
    StallWatch watch = watch(2);
    pass(watch, 12, receives(1), computes(17));
    pass(watch, 20, receives(1), SILENT);
    assertThat(told).containsExactly("10 1 computes 10 for [0]", "17 1 unheard 6 for [0]");
  }

  @Test
  void nothingIsToldWhileRanksJoin() {
    StallWatch watch = watch(2);
    pass(watch, 100, receives(1));
    pass(watch, 100, receives(1), computes(-1).at("start"));
    watch.spawned(0);
    pass(watch, 100, SILENT, receives(0));
    assertThat(told).isEmpty();
  }

  // ---- a recovery

  @Test
  void aRecoveryThatWaitsForARankThatComputesSaysSo() {
    StallWatch watch = watch(2);
    pass(watch, 5, receives(1), computes(17));
    watch.on(new Notice.RecoveryBegun(1, false, "rank 0 lost"), now());
    watch.spawned(0);
    pass(watch, 9, computes(-1).at("start"), computes(17));
    assertThat(told).isEmpty();
    pass(watch, 2, computes(-1).at("start"), computes(17));
    assertThat(told).containsExactly("15 recovery 1 computes 15");
    epoch = 1;
    watch.on(new Notice.AllRunning(1, 0, 0, 0), now());
    pass(watch, 9, receives(1, second), computes(17));
    assertThat(told).hasSize(1);
  }

  @Test
  void aRecoveryMayWaitForOneThatRepeatsItsBeginning() {
    StallWatch watch = watch(2);
    epoch = 1;
    pass(watch, 5, receives(1), computes(17));
    watch.on(new Notice.RecoveryBegun(1, false, "rank 0 lost"), now());
    pass(watch, 11, computes(-1).at("replay"), receives(0, 5));
    assertThat(told).containsExactly("15 recovery 0 computes again 10");
  }

  @Test
  void aRecoveryInWhichAllWaitIsNoStandstill() {
    StallWatch watch = watch(2);
    watch.on(new Notice.RecoveryBegun(1, false, "rank 0 lost"), now());
    pass(watch, 100, receives(1), receives(0));
    assertThat(told).isEmpty();
  }

  // ---- whatever happens

  /** Of a job that progresses at least every nine seconds nothing is told, whatever ranks do. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aJobThatProgressesIsLeftAlone(long seed) {
    Random random = new Random(seed);
    int size = 1 + random.nextInt(6);
    StallWatch watch = watch(size);
    Doing[] ranks = new Doing[size];
    for (int step = 0; step < 500; step++) {
      for (int r = 0; r < size; r++) {
        if (ranks[r] == null || random.nextInt(3) == 0) {
          ranks[r] = anything(random, size, step);
        }
      }
      int moving = random.nextInt(size);
      ranks[moving] = computes(1000 + step);
      pass(watch, 1 + random.nextInt(9), ranks);
    }
    assertThat(told).as("seed %d", seed).isEmpty();
  }

  /** Once all wait and nothing moves, that is told within eleven seconds, whatever was before. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whateverWasBeforeAStandstillOfAllIsTold(long seed) {
    Random random = new Random(seed);
    int size = 1 + random.nextInt(6);
    StallWatch watch = watch(size);
    for (int step = 0; step < 200; step++) {
      Doing[] ranks = new Doing[size];
      for (int r = 0; r < size; r++) {
        ranks[r] = anything(random, size, step);
      }
      if (random.nextInt(10) == 0) {
        watch.on(new Notice.RecoveryBegun(++epoch, false, "a rank lost"), now());
        pass(watch, random.nextInt(20), ranks);
        watch.on(new Notice.AllRunning(epoch, 0, 0, 0), now());
      } else {
        pass(watch, random.nextInt(20), ranks);
      }
    }
    Doing[] ranks = new Doing[size];
    for (int r = 0; r < size; r++) {
      ranks[r] = receives(random.nextInt(size + 1) - 1, second);
    }
    told.clear();
    pass(watch, 12, ranks);
    assertThat(told).as("seed %d", seed).hasSize(1).first().asString().contains("all for 1");
  }

  private Doing anything(Random random, int size, int step) {
    return switch (random.nextInt(3)) {
      case 0 -> computes(step);
      case 1 -> receives(random.nextInt(size + 1) - 1, second - random.nextInt(5));
      default -> new Doing("loop", "allReduce", random.nextInt(size), step, step, second);
    };
  }
}
