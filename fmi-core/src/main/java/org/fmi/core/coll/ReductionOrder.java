package org.fmi.core.coll;

/**
 * The order in which the operands of the ranks are combined, element by element: the order of the
 * algorithm that would exchange messages. The bits of floating-point sums depend on it, and must
 * not depend on the placement of ranks, as a replaced rank may move to another node.
 *
 * <p>An order is a list of steps, each of which combines two rows, the operand of lower ranks left,
 * and leaves the result in the right row.
 */
final class ReductionOrder {
  private final int[] left;
  private final int[] right;
  private int steps;

  private ReductionOrder(int ranks) {
    left = new int[ranks - 1];
    right = new int[ranks - 1];
  }

  /** The order of {@link RecursiveDoublingAllReduce}. */
  static ReductionOrder doubling(int ranks) {
    ReductionOrder order = new ReductionOrder(ranks);
    int[] row = order.fold(ranks);
    int virtual = Integer.highestOneBit(ranks);
    for (int mask = 1; mask < virtual; mask <<= 1) {
      for (int v = 0; v < virtual; v += 2 * mask) {
        row[v] = order.combine(row[v], row[v + mask]);
      }
    }
    return order;
  }

  /** The order of {@link RecursiveHalving}, for commutative operations. */
  static ReductionOrder halving(int ranks) {
    ReductionOrder order = new ReductionOrder(ranks);
    int[] row = order.fold(ranks);
    for (int half = Integer.highestOneBit(ranks) / 2; half > 0; half /= 2) {
      for (int v = 0; v < half; v++) {
        row[v] = order.combine(row[v], row[v + half]);
      }
    }
    return order;
  }

  /** The order of {@link BinomialReduce} with this root of the tree. */
  static ReductionOrder binomial(int ranks, int treeRoot) {
    ReductionOrder order = new ReductionOrder(ranks);
    int[] row = new int[ranks];
    for (int v = 0; v < ranks; v++) {
      row[v] = (v + treeRoot) % ranks;
    }
    for (int mask = 1; mask < ranks; mask <<= 1) {
      for (int v = 0; v + mask < ranks; v += 2 * mask) {
        row[v] = order.combine(row[v], row[v + mask]);
      }
    }
    return order;
  }

  /** The order of {@link PairwiseReduceScatter} for the block of rank {@code owner}. */
  static ReductionOrder pairwise(int ranks, int owner) {
    ReductionOrder order = new ReductionOrder(ranks);
    int row = owner;
    for (int step = 1; step < ranks; step++) {
      row = order.combine(Math.floorMod(owner - step, ranks), row);
    }
    return order;
  }

  /** Folds as {@link PowerOfTwoFold} does, and returns the row of each virtual rank. */
  private int[] fold(int ranks) {
    int virtual = Integer.highestOneBit(ranks);
    int pairs = ranks - virtual;
    int[] row = new int[virtual];
    for (int v = 0; v < virtual; v++) {
      row[v] = v < pairs ? combine(2 * v, 2 * v + 1) : v + pairs;
    }
    return row;
  }

  private int combine(int l, int r) {
    left[steps] = l;
    right[steps++] = r;
    return r;
  }

  /** Combines the first {@code bytes} bytes of the rows and returns the row of the result. */
  Location reduce(Reducer reducer, Location[] rows, long bytes) {
    for (int i = 0; i < steps; i++) {
      reducer.combine(rows[left[i]], rows[right[i]], bytes);
    }
    return rows[right[steps - 1]];
  }
}
