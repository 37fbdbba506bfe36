package org.fmi.sim.rollback;

import java.util.Arrays;

/**
 * A program whose hosts each compute a part of a field, and need the parts beside it of the
 * iteration before. All times in seconds.
 *
 * @param columns hosts of a row; as many as there are for a line
 * @param rows of hosts; 1 for a line
 * @param iterations of the whole program
 * @param step time of an iteration of one host
 * @param halo time until a neighbour's result is received
 * @param interval iterations between checkpoints in memory
 * @param checkpoint time of a checkpoint
 * @param filesInterval iterations between versions on files; 0: there are none
 * @param restart from a failure until the hosts that roll back compute again
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
  /** Returns the rows of the most nearly square grid with exactly this number of hosts. */
  public static int rowsOf(int hosts) {
    int rows = 1;
    for (int r = 2; r * r <= hosts; r++) {
      rows = hosts % r == 0 ? r : rows;
    }
    return rows;
  }

  /** Returns the number of hosts. */
  public int hosts() {
    return columns * rows;
  }

  /** Returns the hosts whose parts a host needs. */
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
