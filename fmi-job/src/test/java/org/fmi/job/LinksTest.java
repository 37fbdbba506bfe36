package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.fmi.job.Links.Link;
import org.fmi.job.Links.Verdict;
import org.fmi.testkit.support.Seeds;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every judgement is compared with one that tries all moves. */
final class LinksTest {
  private static final int MOST_NODES = 6;

  /** A job of few ranks on few nodes. */
  private static final class FewNodes implements Links.Places {
    private final int nodes;
    private final List<Integer> nodeOf = new ArrayList<>();
    private final List<List<Integer>> ranksOn = new ArrayList<>();
    private final List<Integer> used = new ArrayList<>();
    private final int[] room;

    /** By rank: the nodes that it must not go to. */
    private final List<BitSet> barred = new ArrayList<>();

    private Predicate<BitSet> movable = ranks -> true;

    FewNodes(int nodes) {
      this.nodes = nodes;
      this.room = new int[nodes];
      for (int n = 0; n < nodes; n++) {
        ranksOn.add(new ArrayList<>());
      }
    }

    void add(int node) {
      if (ranksOn.get(node).isEmpty()) {
        used.add(node);
        used.sort(null);
      }
      ranksOn.get(node).add(nodeOf.size());
      nodeOf.add(node);
      barred.add(new BitSet());
    }

    @Override
    public List<Integer> used() {
      return used;
    }

    @Override
    public List<Integer> ranksOn(int node) {
      return ranksOn.get(node);
    }

    @Override
    public List<Integer> candidates(int rank) {
      return IntStream.range(0, nodes).filter(n -> !barred.get(rank).get(n)).boxed().toList();
    }

    @Override
    public int room(int node) {
      return room[node];
    }

    @Override
    public boolean canMove(BitSet ranks) {
      return movable.test(ranks);
    }
  }

  /**
   * The goodness of a move: the fewest nodes, then the most broken links, then the fewest ranks.
   */
  private record Worth(int nodes, int cuts, int ranks) {
    boolean isBetterThan(Worth other) {
      if (nodes != other.nodes) {
        return nodes < other.nodes;
      }
      return cuts != other.cuts ? cuts > other.cuts : ranks < other.ranks;
    }
  }

  /** Tries all. */
  private static final class BruteForce {
    private final FewNodes places;
    private final boolean[][] whole;
    private final BitSet answered;

    BruteForce(FewNodes places, boolean[][] whole, BitSet answered) {
      this.places = places;
      this.whole = whole;
      this.answered = answered;
    }

    boolean hear(int a, int b) {
      return whole[a][b] || !answered.get(a) || !answered.get(b);
    }

    Worth worth(BitSet left) {
      int cuts = 0;
      int ranks = 0;
      for (int a = left.nextSetBit(0); a >= 0; a = left.nextSetBit(a + 1)) {
        ranks += places.ranksOn(a).size();
        for (int b = 0; b < whole.length; b++) {
          cuts += hear(a, b) ? 0 : 1;
        }
      }
      return new Worth(left.cardinality(), cuts, ranks);
    }

    boolean isLegal(Map<Integer, Integer> to) {
      BitSet left = left(to);
      BitSet moving = new BitSet();
      int[] load = new int[whole.length];
      BitSet inUse = new BitSet();
      for (int r = 0; r < places.nodeOf.size(); r++) {
        int from = places.nodeOf.get(r);
        Integer node = to.get(r);
        if ((node != null) != left.get(from)) {
          return false;
        }
        if (node != null) {
          moving.set(r);
          load[node]++;
          if (left.get(node) || !answered.get(node) || places.barred.get(r).get(node)) {
            return false;
          }
        }
        inUse.set(node == null ? from : node);
      }
      for (int a = 0; a < load.length; a++) {
        for (int b = 0; b < load.length; b++) {
          if (load[a] > places.room[a] || (inUse.get(a) && inUse.get(b) && !hear(a, b))) {
            return false;
          }
        }
      }
      return places.canMove(moving);
    }

    BitSet left(Map<Integer, Integer> to) {
      BitSet left = new BitSet();
      to.keySet().forEach(r -> left.set(places.nodeOf.get(r)));
      return left;
    }

    /** Returns the worth of the best legal move; null if there is none. */
    @Nullable Worth best() {
      Worth best = null;
      int movable = 0;
      for (int node : places.used()) {
        movable |= answered.get(node) ? 1 << node : 0;
      }
      for (int set = 0; set <= movable; set++) {
        if ((set & ~movable) == 0) {
          BitSet left = BitSet.valueOf(new long[] {set});
          Worth worth = worth(left);
          if ((best == null || worth.isBetterThan(best)) && canPlace(left)) {
            best = worth;
          }
        }
      }
      return best;
    }

    private boolean canPlace(BitSet left) {
      List<Integer> ranks = new ArrayList<>();
      left.stream().forEach(node -> ranks.addAll(places.ranksOn(node)));
      return canPlace(ranks, left, new TreeMap<>());
    }

    private boolean canPlace(List<Integer> ranks, BitSet left, Map<Integer, Integer> to) {
      if (to.size() == ranks.size()) {
        return isLegal(to);
      }
      int rank = ranks.get(to.size());
      for (int node = 0; node < whole.length; node++) {
        if (!left.get(node) && places.room[node] > 0) {
          to.put(rank, node);
          if (canPlace(ranks, left, to)) {
            return true;
          }
          to.remove(rank);
        }
      }
      return false;
    }
  }

  private static void compare(FewNodes places, boolean[][] whole, BitSet answered) {
    Links links = new Links();
    for (int a = answered.nextSetBit(0); a >= 0; a = answered.nextSetBit(a + 1)) {
      int node = a;
      links.answered(
          a, IntStream.range(0, whole.length).filter(b -> !whole[node][b]).boxed().toList());
    }
    BruteForce all = new BruteForce(places, whole, answered);
    Supplier<String> what =
        () -> places.nodeOf + " of " + answered + " " + Arrays.deepToString(whole);
    Worth best = all.best();
    switch (links.judge(places)) {
      case Verdict.Whole _ -> assertThat(best).as(what).isEqualTo(new Worth(0, 0, 0));
      case Verdict.Broken broken -> {
        assertThat(best).as(what).isNull();
        assertThat(broken.broken()).as(what).allMatch(l -> !all.hear(l.a(), l.b()));
      }
      case Verdict.Move move -> {
        assertThat(all.isLegal(move.to())).as(what).isTrue();
        assertThat(all.worth(all.left(move.to()))).as(what).isEqualTo(best);
      }
    }
  }

  /** Returns the graph with this number, of all graphs of so many nodes. */
  private static boolean[][] graph(int nodes, int number) {
    boolean[][] whole = new boolean[nodes][nodes];
    int bit = 0;
    for (int a = 0; a < nodes; a++) {
      whole[a][a] = true;
      for (int b = a + 1; b < nodes; b++) {
        whole[a][b] = (number >> bit & 1) == 0;
        whole[b][a] = whole[a][b];
        bit++;
      }
    }
    return whole;
  }

  private static BitSet all(int nodes) {
    BitSet all = new BitSet();
    all.set(0, nodes);
    return all;
  }

  /** One rank on each of the first nodes, and the others are free; one or all may move at once. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 6})
  void everyGraph(int nodes) {
    for (int used = 2; used <= nodes; used++) {
      FewNodes places = onePerNode(used, nodes - used);
      for (int number = 0; number < 1 << (nodes * (nodes - 1) / 2); number++) {
        int most = Integer.bitCount(number) % 2 == 0 ? 1 : MOST_NODES;
        places.movable = ranks -> ranks.cardinality() <= most;
        compare(places, graph(nodes, number), all(nodes));
      }
    }
  }

  /** Several ranks per node, nodes with some room, nodes that do not answer, groups. */
  @Test
  void jobsOfAllKinds() {
    Seeds.forMillis(
        1_000,
        seed -> {
          SplittableRandom random = new SplittableRandom(seed);
          int nodes = 2 + random.nextInt(MOST_NODES - 1);
          FewNodes places = new FewNodes(nodes);
          for (int r = 1 + random.nextInt(5); r > 0; r--) {
            places.add(random.nextInt(nodes));
          }
          BitSet answered = new BitSet();
          BitSet members = new BitSet();
          for (int n = 0; n < nodes; n++) {
            places.room[n] = random.nextInt(3);
            answered.set(n, random.nextInt(6) > 0);
          }
          for (int r = 0; r < places.nodeOf.size(); r++) {
            places.barred.get(r).set(random.nextInt(nodes), random.nextInt(3) == 0);
            members.set(r, random.nextBoolean());
          }
          int tolerance = random.nextInt(3);
          places.movable =
              ranks -> {
                BitSet moving = (BitSet) ranks.clone();
                moving.and(members);
                return moving.cardinality() <= tolerance;
              };
          int cuts = random.nextInt(1 << (nodes * (nodes - 1) / 2));
          // Half of the graphs have few cuts.
          cuts &= random.nextBoolean() ? random.nextInt(1 << (nodes * (nodes - 1) / 2)) : -1;
          compare(places, graph(nodes, cuts), answered);
        });
  }

  private static FewNodes onePerNode(int ranks, int spares) {
    FewNodes places = new FewNodes(ranks + spares);
    for (int r = 0; r < ranks; r++) {
      places.add(r);
    }
    for (int s = 0; s < spares; s++) {
      places.room[ranks + s] = 1;
    }
    return places;
  }

  private static Links answersOf(int nodes, Map<Integer, List<Integer>> unreached) {
    Links links = new Links();
    for (int n = 0; n < nodes; n++) {
      links.answered(n, unreached.getOrDefault(n, List.of()));
    }
    return links;
  }

  /** The other end of the broken link could go nowhere. */
  @Test
  void theNodeThatIsCutFromTheSpareTooKeepsNoRanks() {
    Links links = answersOf(5, Map.of(0, List.of(1, 4)));
    assertThat(links.judge(onePerNode(4, 1)))
        .isEqualTo(new Verdict.Move(Map.of(0, 4), List.of(new Link(0, 1))));
  }

  @Test
  void oneDirectionIsEnoughToBreakALink() {
    Links links = answersOf(4, Map.of(2, List.of(0)));
    assertThat(links.isBroken(0, 2)).isTrue();
    assertThat(links.judge(onePerNode(3, 1)))
        .isEqualTo(new Verdict.Move(Map.of(0, 3), List.of(new Link(0, 2))));
  }

  @Test
  void aNodeThatDoesNotAnswerIsNotJudged() {
    Links links = new Links();
    links.answered(0, List.of(1));
    links.answered(2, List.of(1));
    assertThat(links.judge(onePerNode(3, 1))).isEqualTo(new Verdict.Whole());
  }

  /** The search ends for any job. */
  @Test
  void aLargeJobWhoseLinksAreHopelessIsJudgedInTime() {
    int ranks = 400;
    Map<Integer, List<Integer>> none = new TreeMap<>();
    for (int n = 0; n < ranks; n++) {
      none.put(n, IntStream.range(0, ranks + 20).boxed().toList());
    }
    assertThat(answersOf(ranks + 20, none).judge(onePerNode(ranks, 20)))
        .isInstanceOf(Verdict.Broken.class);
  }
}
