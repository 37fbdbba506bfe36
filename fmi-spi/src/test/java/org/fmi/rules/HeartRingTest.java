package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.fmi.rules.HeartRing.Action;
import org.fmi.rules.HeartRing.Form;
import org.fmi.rules.HeartRing.Kind;
import org.junit.jupiter.api.Test;

final class HeartRingTest {
  private static final int MOST = 9;
  private static final long PERIOD = 25;
  private static final long TIMEOUT = 100;

  private static BitSet bits(long mask) {
    return BitSet.valueOf(new long[] {mask});
  }

  /** All ranks of a job, with the Chord spread. */
  private static final class World {
    private record Event(long time, long number, Runnable action) {}

    final RingOrder order;
    final int size;
    final HeartRing[] rings;
    final Spread[] spreads;
    final BitSet dead = new BitSet();
    final Random random;
    final int mostDelay;
    final long[][] arrival;
    final PriorityQueue<Event> events =
        new PriorityQueue<>(Comparator.comparingLong(Event::time).thenComparingLong(Event::number));
    long now;
    long numbers;
    long lastNews;

    World(RingOrder order, Form form, Random random, int mostDelay) {
      this.order = order;
      this.size = order.size();
      this.random = random;
      this.mostDelay = mostDelay;
      rings = new HeartRing[size];
      spreads = new Spread[size];
      arrival = new long[size][size];
      for (int rank = 0; rank < size; rank++) {
        rings[rank] = new HeartRing(order, rank, form, PERIOD, r -> TIMEOUT, 0);
        spreads[rank] = new Spread(Spread.Kind.CHORD, order, rank, 2);
        int ticking = rank;
        at(PERIOD, () -> tick(ticking));
      }
    }

    void at(long time, Runnable action) {
      events.add(new Event(time, numbers++, action));
    }

    void runUntil(long end) {
      while (events.element().time <= end) {
        Event next = events.remove();
        now = next.time;
        next.action.run();
      }
    }

    /** Delivers in order; drops what a dead rank would receive. */
    void send(int from, int to, Runnable action) {
      long at = Math.max(arrival[from][to], now + (mostDelay == 0 ? 0 : random.nextInt(mostDelay)));
      arrival[from][to] = at;
      at(
          at,
          () -> {
            if (!dead.get(to)) {
              action.run();
            }
          });
    }

    void tick(int rank) {
      if (!dead.get(rank)) {
        act(rank, rings[rank].tick(now));
        at(now + PERIOD, () -> tick(rank));
      }
    }

    void act(int rank, List<Action> actions) {
      for (Action action : actions) {
        int to = action.rank();
        switch (action.kind()) {
          case BEAT -> send(rank, to, () -> act(to, rings[to].beat(rank, now)));
          case OBSERVE -> {
            tellAll(rank, to);
            send(
                rank,
                to,
                () -> {
                  tellAll(to, rank);
                  act(to, rings[to].asked(rank, now));
                });
          }
          case SUSPECT -> learn(rank, to, Spread.NOBODY);
          case HEARD -> fail("rank %d was suspected by %d, and lives", to, rank);
        }
      }
    }

    void tellAll(int rank, int to) {
      spreads[rank].known().stream().forEach(f -> send(rank, to, () -> learn(to, f, rank)));
    }

    void learn(int rank, int failed, int from) {
      if (!dead.get(failed)) {
        fail("rank %d takes rank %d for dead, at %d", rank, failed, now);
      }
      List<Integer> targets = spreads[rank].learn(failed, from);
      if (targets != null) {
        lastNews = now;
        List<Integer> to = new ArrayList<>(targets);
        to.add(rings[rank].observer());
        to.add(rings[rank].observed());
        to.removeIf(r -> r == HeartRing.NOBODY || r == failed);
        to.forEach(target -> send(rank, target, () -> learn(target, failed, rank)));
        act(rank, rings[rank].dead(failed, now));
      }
    }

    /** Each living rank knows all the dead, and is observed by exactly one living rank. */
    void check(String what) {
      BitSet observed = new BitSet();
      for (int rank = 0; rank < size; rank++) {
        if (dead.get(rank)) {
          continue;
        }
        if (!spreads[rank].known().equals(dead)) {
          fail("%s: rank %d knows %s, not %s", what, rank, spreads[rank].known(), dead);
        }
        int of = rings[rank].observed();
        if (of != HeartRing.NOBODY) {
          if (dead.get(of) || observed.get(of)) {
            fail("%s: rank %d observes %d", what, rank, of);
          }
          observed.set(of);
        }
      }
      int living = size - dead.cardinality();
      assertThat(observed.cardinality()).as(what).isEqualTo(living == 1 ? 0 : living);
    }

    /** The most dead ranks in a row. */
    int longestRun() {
      int longest = 0;
      int run = 0;
      for (int position = 0; position < 2 * size; position++) {
        run = dead.get(order.rank(position)) ? run + 1 : 0;
        longest = Math.max(longest, run);
      }
      return longest;
    }
  }

  /** All sets of dead ranks, in order and shuffled: k dead in a row take k timeouts. */
  @Test
  void allLearnOfAllTheDeadInTheirTime() {
    for (int size = 2; size <= MOST; size++) {
      for (int seed = -1; seed < 3; seed++) {
        RingOrder order = seed < 0 ? RingOrder.ascending(size) : RingOrder.shuffled(size, seed);
        for (long mask = 0; mask < (1L << size) - 1; mask++) {
          World world = new World(order, Form.ASKING, new Random(seed), 0);
          world.dead.or(bits(mask));
          world.runUntil((size + 3) * TIMEOUT);
          String what = size + " ranks, order " + seed + ", dead " + world.dead;
          world.check(what);
          assertThat(world.lastNews).as(what).isEqualTo(world.longestRun() * TIMEOUT);
        }
      }
    }
  }

  /** Few enough that the spread alone reaches all: there is no exchange in the paper's form. */
  @Test
  void inThePapersFormItTakesTwiceAsLong() {
    for (int size = 5; size <= MOST; size++) {
      RingOrder order = RingOrder.ascending(size);
      for (long mask = 1; mask < (1L << size) - 1; mask++) {
        World world = new World(order, Form.PAPER, new Random(0), 0);
        world.dead.or(bits(mask));
        if (world.dead.cardinality() > 2) {
          continue;
        }
        world.runUntil(8 * TIMEOUT);
        String what = size + " ranks, dead " + world.dead;
        world.check(what);
        assertThat(world.lastNews).as(what).isEqualTo((2 * (world.longestRun() - 1) + 1) * TIMEOUT);
      }
    }
  }

  /** Ranks die at any time, also while notices of others travel, which take any time. */
  @Test
  void allLearnOfAllTheDeadInAnyTiming() {
    for (int seed = 0; seed < 3000; seed++) {
      Random random = new Random(seed);
      int size = 2 + random.nextInt(20);
      World world =
          new World(RingOrder.shuffled(size, seed), Form.ASKING, random, 1 + random.nextInt(24));
      int dying = random.nextInt(size);
      for (int i = 0; i < dying; i++) {
        int victim = random.nextInt(size);
        world.at(
            random.nextInt(400),
            () -> {
              if (world.dead.cardinality() < size - 1) {
                world.dead.set(victim);
              }
            });
      }
      world.runUntil(400 + (size + 3) * (2 * TIMEOUT));
      world.check("seed " + seed);
    }
  }

  private static HeartRing ring(int rank) {
    return new HeartRing(RingOrder.ascending(4), rank, Form.ASKING, PERIOD, r -> TIMEOUT, 0);
  }

  private static List<String> kinds(List<Action> actions) {
    return actions.stream().map(a -> a.kind() + " " + a.rank()).toList();
  }

  private static List<Action> silence(HeartRing ring, long from, long to) {
    List<Action> actions = new ArrayList<>();
    for (long now = from + PERIOD; now <= to; now += PERIOD) {
      actions.addAll(ring.tick(now));
    }
    actions.removeIf(a -> a.kind() == Kind.BEAT);
    return actions;
  }

  @Test
  void silenceThatEndsIsTakenBack() {
    HeartRing ring = ring(2);
    assertThat(kinds(silence(ring, 0, 100))).containsExactly("SUSPECT 1", "OBSERVE 0");
    assertThat(ring.beat(0, 110)).isEmpty();
    assertThat(kinds(ring.beat(1, 120))).containsExactly("HEARD 1", "OBSERVE 1");
    assertThat(ring.observed()).isEqualTo(1);
    assertThat(kinds(silence(ring, 100, 200))).isEmpty();
    assertThat(kinds(silence(ring, 200, 225))).containsExactly("SUSPECT 1", "OBSERVE 0");
    assertThat(kinds(ring.alive(1, 230))).containsExactly("OBSERVE 1");
  }

  @Test
  void deathIsFinal() {
    HeartRing ring = ring(2);
    assertThat(kinds(ring.dead(1, 10))).containsExactly("OBSERVE 0");
    assertThat(ring.beat(1, 20)).isEmpty();
    assertThat(ring.alive(1, 30)).isEmpty();
    assertThat(ring.asked(1, 40)).isEmpty();
    assertThat(ring.dead(1, 50)).isEmpty();
    assertThat(ring.observed()).isZero();
    assertThat(kinds(ring.dead(3, 60))).containsExactly("BEAT 0");
  }

  /** Rank 3 takes rank 2 for silent, and asks rank 1, which rank 2 observes further on. */
  @Test
  void aWrongSuspicionTakesNoBeatsFromTheSuspect() {
    HeartRing ring = ring(1);
    assertThat(kinds(ring.tick(25))).containsExactly("BEAT 2");
    assertThat(kinds(ring.asked(3, 30))).containsExactly("BEAT 3");
    assertThat(kinds(ring.tick(50))).containsExactly("BEAT 2", "BEAT 3");
    assertThat(ring.alive(2, 60)).isEmpty();
    assertThat(kinds(ring.tick(75))).containsExactly("BEAT 2");
  }

  @Test
  void ownLatenessIsNoSilence() {
    HeartRing ring = ring(2);
    assertThat(kinds(ring.tick(25))).containsExactly("BEAT 3");
    assertThat(kinds(ring.tick(10_000))).containsExactly("BEAT 3");
    assertThat(silence(ring, 10_000, 10_025)).isEmpty();
    assertThat(kinds(silence(ring, 10_025, 10_100))).containsExactly("SUSPECT 1", "OBSERVE 0");
  }

  @Test
  void whoHasLeftIsNotSuspected() {
    HeartRing ring = ring(2);
    ring.left(1);
    assertThat(silence(ring, 0, 1000)).isEmpty();
    assertThat(ring.observed()).isEqualTo(HeartRing.NOBODY);
    ring.left(3);
    assertThat(ring.tick(1025)).isEmpty();
  }

  @Test
  void allComputeTheSameOrder() {
    RingOrder order = RingOrder.shuffled(480, RingOrder.seed("job-1"));
    BitSet seen = new BitSet();
    for (int position = 0; position < 480; position++) {
      seen.set(order.rank(position));
      assertThat(order.position(order.rank(position))).isEqualTo(position);
    }
    assertThat(seen.cardinality()).isEqualTo(480);
    assertThat(order.rank(-1)).isEqualTo(order.rank(479));
    assertThat(order.rank(0)).isEqualTo(RingOrder.shuffled(480, RingOrder.seed("job-1")).rank(0));
    assertThat(RingOrder.seed("job-1")).isNotEqualTo(RingOrder.seed("job-2"));
  }
}
