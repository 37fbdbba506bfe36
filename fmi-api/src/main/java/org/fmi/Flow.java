package org.fmi;

import java.util.stream.IntStream;

/**
 * The data flow of a program: the ranks that each rank reads from in an iteration of a {@link
 * Fmi#flowLoop flowLoop}. After a failure only the ranks that the lost data depends on recompute.
 *
 * <p>All ranks must give the same answers. The source is Dichev, Cameron and Nikolopoulos,
 * "Energy-efficient localised rollback via data flow analysis and frequency scaling" (EuroMPI
 * 2018).
 */
@FunctionalInterface
public interface Flow {
  /**
   * The ranks whose state before an iteration is needed for a rank's state after it.
   *
   * @param rank in {@link Fmi#world}
   * @param iteration counted from 0
   * @return in any order; the rank itself may be among them or not
   */
  int[] inputs(int rank, long iteration);

  /**
   * Each rank reads from its two neighbours in rank order.
   *
   * @param ranks how many there are
   */
  static Flow line(int ranks) {
    return grid(1, ranks);
  }

  /**
   * Each rank reads from its neighbours above, below, left and right. Rank {@code r} stands in row
   * {@code r / cols} and column {@code r % cols}; nothing is beyond the edges.
   *
   * @param rows how many rows of ranks there are
   * @param cols how many ranks a row has
   * @throws IllegalArgumentException if one of them is less than 1
   */
  static Flow grid(int rows, int cols) {
    if (rows < 1 || cols < 1) {
      throw new IllegalArgumentException("a grid of " + rows + " by " + cols + " ranks has none");
    }
    return (rank, iteration) -> {
      int row = rank / cols;
      int col = rank % cols;
      return IntStream.of(
              row > 0 ? rank - cols : -1,
              col > 0 ? rank - 1 : -1,
              col < cols - 1 ? rank + 1 : -1,
              row < rows - 1 ? rank + cols : -1)
          .filter(neighbour -> neighbour >= 0)
          .toArray();
    };
  }

  /**
   * The same in each iteration.
   *
   * @param inputs by rank, the ranks it reads from
   */
  static Flow of(int[][] inputs) {
    int[][] copy = new int[inputs.length][];
    for (int rank = 0; rank < inputs.length; rank++) {
      copy[rank] = inputs[rank].clone();
    }
    return (rank, iteration) -> copy[rank].clone();
  }

  /**
   * Each rank reads from all others. A failure sends all back, as in other loops.
   *
   * @param ranks how many there are
   */
  static Flow all(int ranks) {
    return (rank, iteration) -> IntStream.range(0, ranks).toArray();
  }
}
