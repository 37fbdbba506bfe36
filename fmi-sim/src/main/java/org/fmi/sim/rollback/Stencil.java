package org.fmi.sim.rollback;

import java.util.Arrays;

/**
 * A program whose hosts each compute a part of a field, and need the parts beside it of the
 * iteration before. All times in seconds.
 *
 * @param columns hosts of a row; as many as there are for a line
 * @param rows of hosts; 1 for a line
 * @param iterations of the whole program
 * @param step what an iteration of one host takes
 * @param halo until what a neighbour has computed has come
 * @param interval iterations between checkpoints in memory
 * @param checkpoint what one takes
 * @param filesInterval iterations between versions on files; 0: there are none
 * @param restart from a failure until those that go back compute again
 * @param synchronous whether all wait for each other at a checkpoint
 */
public record Stencil(
    int columns,
    int rows,
    int iterations,
    double step,
    double halo,
    int interval,
    double checkpoint,
    int filesInterval,
    double restart,
    boolean synchronous) {
  /** How many rows make a grid of so many hosts as square as it can be without one too many. */
  public static int rowsOf(int hosts) {
    int rows = 1;
    for (int r = 2; r * r <= hosts; r++) {
      rows = hosts % r == 0 ? r : rows;
    }
    return rows;
  }

  /** How many hosts it has. */
  public int hosts() {
    return columns * rows;
  }

  /** Those a host needs the parts of; its own is not among them. */
  int[] neighbours(int host) {
    int column = host % columns;
    int row = host / columns;
    int[] found = new int[4];
    int count = 0;
    if (column > 0) {
      found[count++] = host - 1;
    }
    if (column < columns - 1) {
      found[count++] = host + 1;
    }
    if (row > 0) {
      found[count++] = host - columns;
    }
    if (row < rows - 1) {
      found[count++] = host + columns;
    }
    return Arrays.copyOf(found, count);
  }
}
