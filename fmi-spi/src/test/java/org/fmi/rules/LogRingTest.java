package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.fmi.rules.LogRing.Notice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogRingTest {
  private static final int MOST = 4096;

  /**
   * The paper's bound on the number of links that a notice passes, counted from the failed rank.
   */
  private static int bound(int size) {
    int log = 32 - Integer.numberOfLeadingZeros(size - 1);
    return (log + 1) / 2;
  }

  /**
   * For every number of ranks and every failed rank. All ranks have the same distances to their
   * neighbours, so the result for a failure of rank 0 holds for any other; that is checked first,
   * for every rank.
   */
  @Test
  void everyRankIsWithinTheBound() {
    for (int size = 2; size <= MOST; size++) {
      int n = size;
      Set<Integer> ofZero = new LogRing(n, 0, 2).neighbours();
      int[] distances = ofZero.stream().mapToInt(Integer::intValue).toArray();
      for (int rank = 1; rank < n; rank = rank < 64 ? rank + 1 : rank + 61) {
        int r = rank;
        Set<Integer> rotated =
            ofZero.stream().map(d -> (d + r) % n).collect(Collectors.toCollection(TreeSet::new));
        Set<Integer> neighbours = new LogRing(n, rank, 2).neighbours();
        if (!neighbours.equals(rotated)) {
          fail("rank %d of %d: %s, not %s", rank, n, neighbours, rotated);
        }
      }
      assertThat(farthest(n, distances)).as("%d ranks", n).isLessThanOrEqualTo(bound(n));
    }
  }

  private static int farthest(int size, int[] distances) {
    int[] links = new int[size];
    Arrays.fill(links, -1);
    int[] queue = new int[size];
    int head = 0;
    int tail = 1;
    links[0] = 0;
    int last = 0;
    while (head < tail) {
      int at = queue[head++];
      last = links[at];
      for (int d : distances) {
        int to = at + d < size ? at + d : at + d - size;
        if (links[to] < 0) {
          links[to] = last + 1;
          queue[tail++] = to;
        }
      }
    }
    assertThat(tail).as("ranks reached of %d", size).isEqualTo(size);
    return last;
  }

  /**
   * The state machine itself, with every rank failing. A notice that passed h ranks has gone over h
   * + 1 links.
   */
  @Test
  void noticesTakeTheShortestWay() {
    for (int size = 2; size <= 130; size++) {
      for (int failed = 0; failed < size; failed++) {
        int[] hops = flood(size, failed);
        for (int r = 0; r < size; r++) {
          // Avoids an object for each of a million ranks.
          if (r != failed && (hops[r] < 0 || hops[r] >= bound(size))) {
            fail("rank %d of %d, failed %d: %d hops", r, size, failed, hops[r]);
          }
        }
      }
    }
  }

  /** Spreads a failure step by step; returns the hops by rank, -1 for ranks without a notice. */
  private static int[] flood(int size, int failed) {
    LogRing[] rings = new LogRing[size];
    int[] hops = new int[size];
    Arrays.fill(hops, -1);
    record Sent(int to, Notice notice) {}
    ArrayDeque<Sent> inFlight = new ArrayDeque<>();
    for (int r = 0; r < size; r++) {
      rings[r] = new LogRing(size, r, 2);
    }
    for (int r : rings[failed].neighbours()) {
      Notice seen = Objects.requireNonNull(rings[r].lost(failed));
      hops[r] = seen.hops();
      for (int to : rings[r].neighbours()) {
        inFlight.add(new Sent(to, LogRing.forward(seen)));
      }
    }
    while (!inFlight.isEmpty()) {
      Sent next = inFlight.remove();
      Notice news = next.to == failed ? null : rings[next.to].receive(next.notice);
      if (news != null) {
        hops[next.to] = news.hops();
        for (int to : rings[next.to].neighbours()) {
          inFlight.add(new Sent(to, LogRing.forward(news)));
        }
      }
    }
    return hops;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4})
  void bothEndsAgreeOnEveryLink(int base) {
    for (int size = 1; size <= 80; size++) {
      for (int r = 0; r < size; r++) {
        LogRing ring = new LogRing(size, r, base);
        for (int peer : ring.neighbours()) {
          LogRing other = new LogRing(size, peer, base);
          assertThat(other.neighbours()).contains(r);
          assertThat(ring.connectsTo().contains(peer))
              .as("ranks %d and %d of %d, base %d: one connects", r, peer, size, base)
              .isNotEqualTo(other.connectsTo().contains(r));
        }
      }
    }
  }

  /**
   * Ranks die while notices are in flight, delays are random: every living rank is notified of each
   * failure, once. As many dead as a rank has links may cut it off: it is notified of those that
   * were its neighbours.
   */
  @Test
  void allSurvivorsAreNotifiedInAnyTiming() {
    for (long seed = 0; seed < 3000; seed++) {
      Random random = new Random(seed);
      int size = 2 + random.nextInt(40);
      int base = 2 + random.nextInt(3);
      int dying = 1 + random.nextInt(Math.min(3, size - 1));
      int[] heard = chaos(random, size, base, dying);
      long survivors = Arrays.stream(heard).filter(notices -> notices >= 0).count();
      assertThat(survivors).as("seed %d", seed).isEqualTo(size - dying);
      for (int notices : heard) {
        if (notices >= 0) {
          boolean all = dying < new LogRing(size, 0, base).neighbours().size();
          assertThat(notices).as("seed %d", seed).isBetween(all ? dying : 1, dying);
        }
      }
    }
  }

  private record Event(long time, Runnable action) {}

  /** The number of failures that each rank was notified of; -1 for dead ones. */
  private static int[] chaos(Random random, int size, int base, int dying) {
    PriorityQueue<Event> events = new PriorityQueue<>(Comparator.comparingLong(Event::time));
    LogRing[] rings = new LogRing[size];
    boolean[] dead = new boolean[size];
    int[] heard = new int[size];
    long[][] lastArrival = new long[size][size];
    for (int r = 0; r < size; r++) {
      rings[r] = new LogRing(size, r, base);
    }
    class World {
      // Links deliver in order.
      void deliver(long now, int from, int to, Runnable action) {
        long at = Math.max(now + 1 + random.nextInt(50), lastArrival[from][to] + 1);
        lastArrival[from][to] = at;
        events.add(new Event(at, action));
      }

      void tell(long now, int rank, Notice notice) {
        heard[rank]++;
        for (int to : rings[rank].neighbours()) {
          deliver(
              now, rank, to, () -> onNotice(lastArrival[rank][to], to, LogRing.forward(notice)));
        }
      }

      void onNotice(long now, int rank, Notice notice) {
        Notice news = dead[rank] ? null : rings[rank].receive(notice);
        if (news != null) {
          tell(now, rank, news);
        }
      }

      void die(long now, int rank) {
        dead[rank] = true;
        heard[rank] = -1;
        for (int to : rings[rank].neighbours()) {
          deliver(
              now,
              rank,
              to,
              () -> {
                Notice news = dead[to] ? null : rings[to].lost(rank);
                if (news != null) {
                  tell(lastArrival[rank][to], to, news);
                }
              });
        }
      }
    }
    World world = new World();
    List<Integer> victims = new ArrayList<>();
    for (int r = 0; r < size; r++) {
      victims.add(r);
    }
    Collections.shuffle(victims, random);
    for (int victim : victims.subList(0, dying)) {
      long when = random.nextInt(100);
      events.add(new Event(when, () -> world.die(when, victim)));
    }
    while (!events.isEmpty()) {
      events.remove().action().run();
    }
    return heard;
  }
}
