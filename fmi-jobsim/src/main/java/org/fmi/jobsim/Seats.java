package org.fmi.jobsim;

import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.fmi.job.JobSpec.OnNoSpare;

/**
 * Knows on which node each rank was started last, and says whether nodes have places for all ranks
 * under the user's policy.
 */
final class Seats {
  private static final int NOWHERE = -1;

  private final Shape shape;
  private final int[] nodeOf;

  /** Number of the job's nodes. */
  private int nodes;

  Seats(Shape shape) {
    this.shape = shape;
    this.nodes = shape.usedNodes() + shape.spares();
    this.nodeOf = new int[shape.size()];
    Arrays.fill(nodeOf, NOWHERE);
  }

  void onSpawn(int rank, int node) {
    nodeOf[rank] = node;
  }

  boolean isOn(int rank, int node) {
    return nodeOf[rank] == node;
  }

  void onNodeAdded() {
    nodes++;
  }

  int nodesThat(IntPredicate which) {
    return (int) IntStream.range(0, nodes).filter(which).count();
  }

  /** Whether there is a place for each rank on these nodes. */
  boolean suffice(IntPredicate usable) {
    int there = nodesThat(usable);
    return switch (shape.onNoSpare()) {
      case WAIT -> true;
      case SHARE -> there > 0;
      case ABORT, SHRINK -> there * shape.ranksPerNode() >= shape.size();
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

  /** Returns the same, if the job does not wait for a place. */
  boolean sufficeNow(IntPredicate usable) {
    return suffice(usable)
        && (shape.onNoSpare() == OnNoSpare.SHARE
            || nodesThat(usable) * shape.ranksPerNode() >= shape.size());
  }
}
