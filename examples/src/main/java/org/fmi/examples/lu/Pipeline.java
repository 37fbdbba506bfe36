package org.fmi.examples.lu;

import org.fmi.Comm;
import org.fmi.Slice;
import org.fmi.examples.ProcessGrid;

/**
 * Sweeps through all planes: a rank begins a plane when the ranks before it in the sweep have done
 * it, while they do the next one. A neighbour after it sends in one sweep what the next sweep
 * needs, so no other messages are necessary, and the result equals the one of a single rank.
 */
final class Pipeline {
  private static final int THERE = 1;
  private static final int BACK = 2;
  private static final int AFTER = 3;

  private final Comm world;
  private final Block block;
  private final int north;
  private final int south;
  private final int west;
  private final int east;

  /** A column of a plane, on its way. */
  private final double[] column;

  Pipeline(Comm world, ProcessGrid grid, Block block) {
    this.world = world;
    this.block = block;
    int row = grid.row(world.rank());
    int col = grid.col(world.rank());
    north = grid.rank(row - 1, col);
    south = grid.rank(row + 1, col);
    west = grid.rank(row, col - 1);
    east = grid.rank(row, col + 1);
    column = new double[block.rows];
  }

  /** A sweep from the first point to the last one, and one back. */
  void thereAndBack() {
    for (int k = 0; k < block.planes; k++) {
      receive(k, north, -1, west, -1, THERE);
      block.forward(k);
      send(k, south, block.rows - 1, east, block.cols - 1, THERE);
    }
    for (int k = block.planes - 1; k >= 0; k--) {
      receive(k, south, block.rows, east, block.cols, BACK);
      block.backward(k);
      send(k, north, 0, west, 0, BACK);
    }
  }

  /**
   * Gets from those before this rank what they have changed on the way back, which the next sweep
   * would bring: then all that surrounds this rank's points is of now.
   */
  void update() {
    for (int k = 0; k < block.planes; k++) {
      send(k, south, block.rows - 1, east, block.cols - 1, AFTER);
      receive(k, north, -1, west, -1, AFTER);
    }
  }

  private void receive(int k, int rowFrom, int row, int columnFrom, int col, int tag) {
    world.recv(Slice.of(block.x, block.at(k, row, 0), block.cols), rowFrom, tag);
    if (columnFrom != Comm.PROC_NULL) {
      world.recv(column, columnFrom, tag);
      for (int i = 0; i < block.rows; i++) {
        block.x[block.at(k, i, col)] = column[i];
      }
    }
  }

  private void send(int k, int rowTo, int row, int columnTo, int col, int tag) {
    world.send(Slice.of(block.x, block.at(k, row, 0), block.cols), rowTo, tag);
    if (columnTo != Comm.PROC_NULL) {
      for (int i = 0; i < block.rows; i++) {
        column[i] = block.x[block.at(k, i, col)];
      }
      world.send(column, columnTo, tag);
    }
  }
}
