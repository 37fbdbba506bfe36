package org.fmi.jobsim;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Knows on which node each rank was started last, and says whether nodes have places for all ranks
 * under the user's policy.
 */
final class Seats {
  private static final int NOWHERE = -1;

  private final Shape shape;
  private final int[] nodeOf;

  Seats(Shape shape) {
    this.shape = shape;
    this.nodeOf = new int[shape.size()];
    Arrays.fill(nodeOf, NOWHERE);
  }

  void onSpawn(int rank, int node) {
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
    int nodes = nodesThat(usable);
    return switch (shape.onNoSpare()) {
      case WAIT -> true;
      case SHARE -> nodes > 0;
      case ABORT -> nodes * shape.ranksPerNode() >= shape.size();
    };
  }

  /** Whether a rank can stay on such a node, or there is a free place on one. */
  boolean hasPlace(int rank, IntPredicate usable) {
    return nodesThat(
            n -> usable.test(n) && (n == nodeOf[rank] || ranksOn(n) < shape.ranksPerNode()))
        > 0;
  }

  private long ranksOn(int node) {
    return Arrays.stream(nodeOf).filter(n -> n == node).count();
  }
}
