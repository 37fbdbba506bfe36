package org.fmi.jobsim;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Knows on which node each rank was started last and which nodes it has left, and says whether
 * nodes have places for all ranks under the user's policy.
 */
final class Seats {
  private static final int NOWHERE = -1;

  private final Shape shape;
  private final int[] nodeOf;

  /** By rank: the nodes that it has left. */
  private final BitSet[] left;

  Seats(Shape shape) {
    this.shape = shape;
    this.nodeOf = new int[shape.size()];
    Arrays.fill(nodeOf, NOWHERE);
    this.left = new BitSet[shape.size()];
    Arrays.setAll(left, r -> new BitSet());
  }

  void onSpawn(int rank, int node) {
    if (nodeOf[rank] != NOWHERE && nodeOf[rank] != node) {
      left[rank].set(nodeOf[rank]);
    }
    nodeOf[rank] = node;
  }

  boolean isOn(int rank, int node) {
    return nodeOf[rank] == node;
  }

  int nodesThat(IntPredicate which) {
    return (int) IntStream.range(0, shape.usedNodes() + shape.spares()).filter(which).count();
  }

  /** Whether there is a place for each rank on these nodes. */
  boolean suffice(IntPredicate usable) {
    return suffice(usable, (rank, node) -> false);
  }

  /** Returns the same, if no rank may return to a node that it has left. */
  boolean sufficeWithoutReturn(IntPredicate usable) {
    return suffice(usable, (rank, node) -> left[rank].get(node));
  }

  private boolean suffice(IntPredicate usable, Barred barred) {
    int nodes = nodesThat(usable);
    return switch (shape.onNoSpare()) {
      case WAIT -> true;
      case SHARE -> nodes > 0;
      case ABORT -> {
        int closed = 0;
        boolean all = true;
        for (int r = 0; r < nodeOf.length; r++) {
          int rank = r;
          closed += nodesThat(n -> usable.test(n) && barred.test(rank, n));
          all &= hasPlace(rank, usable, barred);
        }
        yield all && nodes * shape.ranksPerNode() >= shape.size() + closed;
      }
    };
  }

  /** Whether a rank can stay where it is, or there is room where it may go. */
  private boolean hasPlace(int rank, IntPredicate usable, Barred barred) {
    return nodesThat(
            n ->
                usable.test(n)
                    && (n == nodeOf[rank]
                        || (!barred.test(rank, n) && ranksOn(n) < shape.ranksPerNode())))
        > 0;
  }

  private long ranksOn(int node) {
    return Arrays.stream(nodeOf).filter(n -> n == node).count();
  }

  /** Whether a rank must not go to a node. */
  private interface Barred {
    boolean test(int rank, int node);
  }
}
