package org.fmi.examples.heat2d;

import java.util.Arrays;
import org.fmi.ArrayBlock;
import org.fmi.StateRef;
import org.fmi.examples.Share;

/**
 * A part of the plate: {@code height} times {@code width} points with one layer around them, which
 * belongs to the neighbours or is the plate's edge. With slices of the whole plate it is the plate.
 */
final class Block {
  private static final double CONDUCTIVITY = 0.2;

  final int height;
  final int width;

  /** Distance in memory from a point to the one below it. */
  final int stride;

  private final Share rows;
  private final Share cols;

  Block(Share rows, Share cols) {
    this.rows = rows;
    this.cols = cols;
    height = rows.count();
    width = cols.count();
    stride = width + 2;
  }

  /** The temperatures at the start; the plate's edges are cold. */
  double[] start() {
    double[] u = new double[Math.multiplyExact(height + 2, stride)];
    for (int r = 0; r < height; r++) {
      for (int c = 0; c < width; c++) {
        u[at(r, c)] = ((rows.first() + r) * 31L + (cols.first() + c) * 17L) % 101 / 100.0;
      }
    }
    return u;
  }

  /** Heats the plate's upper edge, if this block touches it. */
  void heat(double[] u, double temperature) {
    if (rows.first() == 0) {
      Arrays.fill(u, 1, 1 + width, temperature);
    }
  }

  /** Temperatures of this block as a part of a plate, which other numbers of ranks divide too. */
  ArrayBlock of(StateRef<double[]> u, int size) {
    return ArrayBlock.of(
        u,
        new long[] {size, size},
        new long[] {rows.first(), cols.first()},
        new long[] {height, width},
        new long[] {height + 2, stride},
        new long[] {1, 1});
  }

  /**
   * Returns the index of a point in memory; -1 and {@link #height} or {@link #width} are around.
   */
  int at(int row, int col) {
    return (row + 1) * stride + col + 1;
  }

  /** Computes {@code next} from {@code u}; returns the largest change. */
  double step(double[] u, double[] next) {
    double largest = 0;
    for (int r = 0; r < height; r++) {
      for (int x = at(r, 0); x < at(r, width); x++) {
        double around = (u[x - stride] + u[x + stride]) + (u[x - 1] + u[x + 1]);
        double change = CONDUCTIVITY * (around - 4 * u[x]);
        next[x] = u[x] + change;
        largest = Math.max(largest, Math.abs(change));
      }
    }
    return largest;
  }

  /** The highest temperature. */
  double peak(double[] u) {
    double peak = 0;
    for (int r = 0; r < height; r++) {
      for (int x = at(r, 0); x < at(r, width); x++) {
        peak = Math.max(peak, u[x]);
      }
    }
    return peak;
  }

  /** Copies a column, -1 to {@link #width}, to {@code target}. */
  void copyColumn(double[] u, int col, double[] target) {
    for (int r = 0; r < height; r++) {
      target[r] = u[at(r, col)];
    }
  }

  /** Sets a column, -1 to {@link #width}, from {@code source}. */
  void setColumn(double[] u, int col, double[] source) {
    for (int r = 0; r < height; r++) {
      u[at(r, col)] = source[r];
    }
  }

  /** The points without the layer around them, row after row. */
  double[] inside(double[] u) {
    double[] inside = new double[height * width];
    for (int r = 0; r < height; r++) {
      System.arraycopy(u, at(r, 0), inside, r * width, width);
    }
    return inside;
  }

  /** Puts this block's points, from {@code offset} of {@code inside}, to their place in a plate. */
  void place(double[] inside, int offset, double[] plate, int plateWidth) {
    for (int r = 0; r < height; r++) {
      int target = (rows.first() + r) * plateWidth + cols.first();
      System.arraycopy(inside, offset + r * width, plate, target, width);
    }
  }
}
