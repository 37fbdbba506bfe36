package org.fmi.examples;

import org.fmi.Comm;
import org.jspecify.annotations.Nullable;

/**
 * Ranks arranged in rows and columns: rank 0 is in the upper left corner, rank 1 to the right of
 * it.
 *
 * @param rows how many rows of ranks
 * @param cols how many columns of ranks
 */
public record ProcessGrid(int rows, int cols) {

  /**
   * The arrangement of {@code ranks} that divides {@code height} times {@code width} points with
   * the shortest borders between them.
   *
   * @return null if there is none that leaves each rank a point
   */
  public static @Nullable ProcessGrid of(int ranks, int height, int width) {
    ProcessGrid best = null;
    long shortest = Long.MAX_VALUE;
    for (int rows = 1; rows <= Math.min(ranks, height); rows++) {
      int cols = ranks / rows;
      long border = (rows - 1L) * width + (cols - 1L) * height;
      if (rows * cols == ranks && cols <= width && border < shortest) {
        best = new ProcessGrid(rows, cols);
        shortest = border;
      }
    }
    return best;
  }

  /** The row of a rank. */
  public int row(int rank) {
    return rank / cols;
  }

  /** The column of a rank. */
  public int col(int rank) {
    return rank % cols;
  }

  /** The rank at a place, {@link Comm#PROC_NULL} outside of the grid. */
  public int rank(int row, int col) {
    boolean inside = 0 <= row && row < rows && 0 <= col && col < cols;
    return inside ? row * cols + col : Comm.PROC_NULL;
  }
}
