package org.fmi.examples.amr;

import java.util.Arrays;

/**
 * A square part of the plate, always of the same area, as cells in rows and columns: one more level
 * makes two of each. Around them is a layer of cells that the neighbours compute.
 */
final class Block {
  static final int FINEST = 3;
  private static final int CELLS_OF_COARSEST = 4;
  private static final double CONDUCTIVITY_OF_FINEST = 0.2;

  /** A finer level is wanted where neighbouring cells would differ by more than this. */
  private static final double SMOOTH = 0.01;

  final int level;

  /** Number of cells along a side. */
  final int cells;

  private final int stride;

  /** The temperatures, with the layer around them: all that a block is. */
  final double[] u;

  private final double[] next;

  /** A cold block. */
  Block(int level) {
    this.level = level;
    cells = cells(level);
    stride = cells + 2;
    u = new double[stride * stride];
    next = new double[stride * stride];
  }

  /** Cells along the side of a block. */
  static int cells(int level) {
    return CELLS_OF_COARSEST << level;
  }

  /** Returns the index of a cell in memory; -1 and {@link #cells} are in the layer around. */
  private int at(int row, int col) {
    return (row + 1) * stride + col + 1;
  }

  /** Returns the index of cell number {@code i} along a side, or of the cell {@code beyond} it. */
  private int along(Side side, int i, int beyond) {
    return switch (side) {
      case ABOVE -> at(-beyond, i);
      case BELOW -> at(cells - 1 + beyond, i);
      case LEFT -> at(i, -beyond);
      case RIGHT -> at(i, cells - 1 + beyond);
    };
  }

  /** The cells along a side. */
  double[] edge(Side side) {
    double[] edge = new double[cells];
    for (int i = 0; i < cells; i++) {
      edge[i] = u[along(side, i, 0)];
    }
    return edge;
  }

  /** Sets the layer beyond a side to the neighbour's edge, which may be of another level. */
  void setLayer(Side side, double[] edge) {
    double[] fitting = resample(edge, cells);
    for (int i = 0; i < cells; i++) {
      u[along(side, i, 1)] = fitting[i];
    }
  }

  /** Computes one iteration, on the block that stands in this row and column of the plate's. */
  void step(Spot spot, int blockRow, int blockCol, int blocksOfSide) {
    double conductivity = CONDUCTIVITY_OF_FINEST / (1 << (2 * (FINEST - level)));
    double width = 1.0 / cells;
    for (int r = 0; r < cells; r++) {
      double atRow = (blockRow + (r + 0.5) * width) / blocksOfSide;
      for (int c = 0; c < cells; c++) {
        double atCol = (blockCol + (c + 0.5) * width) / blocksOfSide;
        int x = at(r, c);
        double around = (u[x - stride] + u[x + stride]) + (u[x - 1] + u[x + 1]);
        next[x] = u[x] + conductivity * (around - 4 * u[x]) + spot.heat(atRow, atCol);
      }
    }
    for (int r = 0; r < cells; r++) {
      System.arraycopy(next, at(r, 0), u, at(r, 0), cells);
    }
  }

  /** The lowest level that shows the block's temperatures smoothly. */
  int wantedLevel() {
    double least = Double.POSITIVE_INFINITY;
    double greatest = Double.NEGATIVE_INFINITY;
    for (int r = 0; r < cells; r++) {
      for (int c = 0; c < cells; c++) {
        least = Math.min(least, u[at(r, c)]);
        greatest = Math.max(greatest, u[at(r, c)]);
      }
    }
    int wanted = 0;
    while (wanted < FINEST && greatest - least > SMOOTH * cells(wanted)) {
      wanted++;
    }
    return wanted;
  }

  /** Returns this block at another level; its layer is to be set again. */
  Block at(int otherLevel) {
    Block other = new Block(otherLevel);
    double[][] rows = new double[cells][];
    for (int r = 0; r < cells; r++) {
      rows[r] = resample(row(r), other.cells);
    }
    double[] col = new double[cells];
    for (int c = 0; c < other.cells; c++) {
      for (int r = 0; r < cells; r++) {
        col[r] = rows[r][c];
      }
      double[] fitting = resample(col, other.cells);
      for (int r = 0; r < other.cells; r++) {
        other.u[other.at(r, c)] = fitting[r];
      }
    }
    return other;
  }

  /** The temperatures without the layer around them, row after row. */
  double[] inside() {
    double[] inside = new double[cells * cells];
    for (int r = 0; r < cells; r++) {
      System.arraycopy(row(r), 0, inside, r * cells, cells);
    }
    return inside;
  }

  private double[] row(int row) {
    return Arrays.copyOfRange(u, at(row, 0), at(row, cells));
  }

  /** A line of cells as more or fewer ones: each is repeated, or replaced by a mean of several. */
  private static double[] resample(double[] line, int cells) {
    double[] result = new double[cells];
    int repeat = Math.max(1, cells / line.length);
    int group = Math.max(1, line.length / cells);
    for (int i = 0; i < cells; i++) {
      double sum = 0;
      for (int k = 0; k < group; k++) {
        sum += line[i / repeat * group + k];
      }
      result[i] = sum / group;
    }
    return result;
  }
}
