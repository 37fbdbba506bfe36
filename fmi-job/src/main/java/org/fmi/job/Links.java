package org.fmi.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The links between nodes, as the nodes' daemons have measured them. Finds the ranks that must move
 * so that all nodes with ranks hear each other again.
 *
 * <p>A link is broken if either of its ends cannot reach the other one. Nodes that have not
 * answered are not judged: whether they live is another question.
 *
 * <p>All ranks of as few nodes as possible move. Among equally many nodes, those with the most
 * broken links move, then those with the fewest ranks. A rank moves to a node that hears all nodes
 * that keep or get ranks. No group moves more members than it can rebuild.
 */
final class Links {
  /** The most nodes that are left at once. */
  private static final int MOST_NODES = 16;

  /** The number of steps after which the search gives up, which takes some milliseconds. */
  private static final int MOST_STEPS = 20_000;

  /** The ranks, and the places for them. */
  interface Places {
    /** Returns the nodes with ranks, ascending. */
    List<Integer> used();

    List<Integer> ranksOn(int node);

    /** Returns the nodes to which a rank may move, whether they have room or not, best first. */
    List<Integer> candidates(int rank);

    /** Returns the number of ranks that a node takes in addition to its own. */
    int room(int node);

    /** Whether all checkpoints could be rebuilt if these ranks move at once. */
    boolean canMove(BitSet ranks);
  }

  /** The judgement. */
  sealed interface Verdict {
    /** All nodes with ranks hear each other. */
    record Whole() implements Verdict {}

    /**
     * Ranks must move.
     *
     * @param to the new node of each of them
     * @param broken the broken links between nodes with ranks
     */
    record Move(Map<Integer, Integer> to, List<Link> broken) implements Verdict {}

    /**
     * Nodes with ranks do not hear each other, and no move was found that helps.
     *
     * @param broken the broken links between them
     */
    record Broken(List<Link> broken) implements Verdict {}
  }

  /** A link between two nodes, of which {@code a} has the smaller number. */
  record Link(int a, int b) {}

  private final BitSet answered = new BitSet();

  /** By node: the nodes that cannot reach it, or that it cannot reach. */
  private final Map<Integer, BitSet> unheard = new TreeMap<>();

  /** Notes the answer of a node. */
  void answered(int node, List<Integer> unreached) {
    answered.set(node);
    for (int other : unreached) {
      cut(node, other);
      cut(other, node);
    }
  }

  private void cut(int node, int other) {
    unheard.computeIfAbsent(node, n -> new BitSet()).set(other);
  }

  /** Notes that a node is lost, so that nothing is known of its links. */
  void lost(int node) {
    answered.clear(node);
  }

  boolean hasAnswered(int node) {
    return answered.get(node);
  }

  /** Whether the link between two nodes is known to be broken. */
  boolean isBroken(int a, int b) {
    BitSet of = unheard.get(a);
    return a != b && of != null && of.get(b) && answered.get(a) && answered.get(b);
  }

  /** Whether a node is known to hear all nodes that have answered. */
  boolean isWhole(int node) {
    return answered.get(node) && brokenOf(node) == 0;
  }

  /** Returns the number of nodes that do not hear a node. */
  private int brokenOf(int node) {
    int broken = 0;
    for (int other = answered.nextSetBit(0); other >= 0; other = answered.nextSetBit(other + 1)) {
      broken += isBroken(node, other) ? 1 : 0;
    }
    return broken;
  }

  /**
   * Returns the node of these with the most broken links to the other ones, the last of equally bad
   * ones; negative if all hear each other.
   */
  int worst(List<Integer> nodes) {
    int worst = -1;
    long most = 1;
    for (int node : nodes) {
      long broken = nodes.stream().filter(other -> isBroken(node, other)).count();
      if (broken >= most) {
        worst = node;
        most = broken;
      }
    }
    return worst;
  }

  /** Returns the broken links between nodes with ranks. */
  private List<Link> broken(List<Integer> used) {
    List<Link> broken = new ArrayList<>();
    for (int i = 0; i < used.size(); i++) {
      BitSet of = unheard.get(used.get(i));
      for (int j = i + 1; of != null && j < used.size(); j++) {
        if (isBroken(used.get(i), used.get(j))) {
          broken.add(new Link(used.get(i), used.get(j)));
        }
      }
    }
    return broken;
  }

  /** Judges the links between all nodes with ranks. */
  Verdict judge(Places places) {
    List<Link> broken = broken(places.used());
    if (broken.isEmpty()) {
      return new Verdict.Whole();
    }
    Map<Integer, Integer> to = new Search(places, broken).run();
    return to == null ? new Verdict.Broken(broken) : new Verdict.Move(to, broken);
  }

  /** The search for the nodes to leave, which are more and more, and for places. */
  private final class Search {
    private final Places places;
    private final List<Link> broken;
    private final Set<BitSet> seen = new HashSet<>();
    private int steps;

    private BitSet best = new BitSet();
    private @Nullable Map<Integer, Integer> found;

    Search(Places places, List<Link> broken) {
      this.places = places;
      this.broken = broken;
    }

    @Nullable Map<Integer, Integer> run() {
      int most = Math.min(MOST_NODES, places.used().size());
      for (int nodes = 1; nodes <= most && found == null && hasTime(); nodes++) {
        seen.clear();
        leave(new BitSet(), nodes);
      }
      return found;
    }

    private boolean hasTime() {
      return steps < MOST_STEPS;
    }

    /** Tries all sets of nodes that contain these and so many more. */
    private void leave(BitSet left, int more) {
      steps++;
      if (!hasTime() || !seen.add(left)) {
        return;
      }
      Link touched = null;
      for (Link link : broken) {
        if (!left.get(link.a) && !left.get(link.b)) {
          touched = link;
          break;
        }
      }
      if (more == 0) {
        if (touched == null) {
          tryOut(left);
        }
      } else if (touched != null) {
        leave(with(left, touched.a), more - 1);
        leave(with(left, touched.b), more - 1);
      } else {
        // The nodes with room may not hear one that could stay otherwise.
        for (int node : places.used()) {
          if (!left.get(node) && answered.get(node)) {
            leave(with(left, node), more - 1);
          }
        }
      }
    }

    private static BitSet with(BitSet set, int one) {
      BitSet more = (BitSet) set.clone();
      more.set(one);
      return more;
    }

    private void tryOut(BitSet left) {
      if (found != null && !isBetter(left, best)) {
        return;
      }
      BitSet moving = new BitSet();
      left.stream().forEach(node -> places.ranksOn(node).forEach(moving::set));
      if (!places.canMove(moving)) {
        return;
      }
      List<Integer> staying = places.used().stream().filter(node -> !left.get(node)).toList();
      Map<Integer, Integer> to = new TreeMap<>();
      if (place(moving.stream().boxed().toList(), left, new ArrayList<>(staying), to)) {
        found = to;
        best = left;
      }
    }

    private boolean isBetter(BitSet left, BitSet other) {
      int cuts = left.stream().map(Links.this::brokenOf).sum();
      int otherCuts = other.stream().map(Links.this::brokenOf).sum();
      return cuts != otherCuts ? cuts > otherCuts : ranksOn(left) < ranksOn(other);
    }

    private int ranksOn(BitSet nodes) {
      return nodes.stream().map(node -> places.ranksOn(node).size()).sum();
    }

    /**
     * Finds a node for each rank.
     *
     * @param inUse nodes that keep ranks or have got some
     * @param to the nodes of the ranks before these; has those of all of them afterwards
     */
    private boolean place(
        List<Integer> ranks, BitSet left, List<Integer> inUse, Map<Integer, Integer> to) {
      if (to.size() == ranks.size()) {
        return true;
      }
      int rank = ranks.get(to.size());
      for (int node : places.candidates(rank)) {
        steps++;
        if (!hasTime()) {
          return false;
        }
        long taken = to.values().stream().filter(n -> n == node).count();
        if (left.get(node) || taken >= places.room(node) || !hearsAll(node, inUse)) {
          continue;
        }
        to.put(rank, node);
        inUse.add(node);
        if (place(ranks, left, inUse, to)) {
          return true;
        }
        inUse.removeLast();
        to.remove(rank);
      }
      return false;
    }

    private boolean hearsAll(int node, List<Integer> others) {
      return answered.get(node) && others.stream().noneMatch(other -> isBroken(node, other));
    }
  }
}
