package org.fmi.examples.lu;

import java.util.Arrays;
import org.fmi.examples.Share;

/**
 * The points of a rank: some rows and columns of the cube, through all of its planes. Around each
 * plane is a layer of the neighbours' points; outside of the cube all values are 0.
 */
final class Block {
  private static final long MIX = 0x9E3779B97F4A7C15L;

  private final int size;
  private final Share ownRows;
  private final Share ownCols;
  private final double factor;
  private final double[] b;

  /** The solution as of now, the neighbours' points as they were sent last. */
  final double[] x;

  /** Number of this rank's rows and columns. */
  final int rows;

  final int cols;

  /** The number of planes. */
  final int planes;

  /** From a point to the one in the next row, and in the next plane. */
  final int row;

  private final int plane;

  /** Points of a cube of {@code size}; the solution is 0 at first. */
  Block(int size, Share ownRows, Share ownCols) {
    this.size = size;
    this.ownRows = ownRows;
    this.ownCols = ownCols;
    rows = ownRows.count();
    cols = ownCols.count();
    planes = size;
    row = cols + 2;
    plane = row * (rows + 2);
    x = new double[plane * planes];
    b = new double[x.length];
    factor = 2 / (1 + StrictMath.sin(Math.PI / (size + 1)));
    for (int k = 0; k < planes; k++) {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          b[at(k, i, j)] = rightHandSide(k, ownRows.first() + i, ownCols.first() + j);
        }
      }
    }
  }

  /** Returns a point's index. Row and column -1 and those after the last belong to neighbours. */
  int at(int k, int i, int j) {
    return k * plane + (i + 1) * row + j + 1;
  }

  /** Relaxes the points of a plane in their order. */
  void forward(int k) {
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < cols; j++) {
        relax(k, at(k, i, j));
      }
    }
  }

  /** The same in the reverse order. */
  void backward(int k) {
    for (int i = rows - 1; i >= 0; i--) {
      for (int j = cols - 1; j >= 0; j--) {
        relax(k, at(k, i, j));
      }
    }
  }

  private void relax(int k, int at) {
    x[at] += factor / 6 * missing(k, at);
  }

  /** A component of b - A x. */
  private double missing(int k, int at) {
    double below = k == 0 ? 0 : x[at - plane];
    double above = k == planes - 1 ? 0 : x[at + plane];
    return b[at] + x[at - 1] + x[at + 1] + x[at - row] + x[at + row] + below + above - 6 * x[at];
  }

  // ---- the result

  /** Visits each point of this rank. */
  private interface Point {
    double value(int k, int i, int j, int at);
  }

  private double most(Point of) {
    double most = 0;
    for (int k = 0; k < planes; k++) {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          most = Math.max(most, Math.abs(of.value(k, i, j, at(k, i, j))));
        }
      }
    }
    return most;
  }

  /** The largest component of b - A x. */
  double residual() {
    return most((k, i, j, at) -> missing(k, at));
  }

  double largestRightHandSide() {
    return most((k, i, j, at) -> b[at]);
  }

  /** The largest difference to the known solution. */
  double error() {
    return most((k, i, j, at) -> x[at] - known(k, ownRows.first() + i, ownCols.first() + j));
  }

  /**
   * Returns a sum of all bits of the solution; the sum over all ranks does not depend on their
   * number.
   */
  long checksum() {
    long sum = 0;
    for (int k = 0; k < planes; k++) {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          long number = ((long) k * size + ownRows.first() + i) * size + ownCols.first() + j;
          long mixed = (Double.doubleToLongBits(x[at(k, i, j)]) ^ number) * MIX;
          sum += (mixed ^ (mixed >>> 29)) * MIX;
        }
      }
    }
    return sum;
  }

  private double known(int k, int i, int j) {
    boolean inside = 0 <= Math.min(k, Math.min(i, j)) && Math.max(k, Math.max(i, j)) < size;
    return inside ? 1 + (7L * k + 5L * i + 3L * j) % 11 / 10.0 : 0;
  }

  private double rightHandSide(int k, int i, int j) {
    double[] around = {
      known(k - 1, i, j), known(k + 1, i, j), known(k, i - 1, j),
      known(k, i + 1, j), known(k, i, j - 1), known(k, i, j + 1)
    };
    return 6 * known(k, i, j) - Arrays.stream(around).sum();
  }
}
