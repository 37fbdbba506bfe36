package org.fmi.examples.himeno;

import java.util.Arrays;
import org.fmi.examples.Slice;

/**
 * A rank's part of the grid, and Jacobi's method on it. It is cut out in directions i and j and
 * whole in direction k, in which memory is contiguous. Around its points lies one layer of points
 * that belong to its neighbours, or to the grid's boundary, which stays as it is.
 */
final class Block {
  private static final float OMEGA = 0.8f;

  /** Points of this block, without the layer around them. */
  final int ni;

  final int nj;
  final int nk;

  /** Distance in memory from a point to the next one in direction j, and i. */
  final int strideJ;

  final int strideI;

  /** The pressure. */
  final float[] p;

  // The equation's coefficients: constant here, but the benchmark reads them from memory.
  private final float[] a0;
  private final float[] a1;
  private final float[] a2;
  private final float[] a3;
  private final float[] b0;
  private final float[] b1;
  private final float[] b2;
  private final float[] c0;
  private final float[] c1;
  private final float[] c2;
  private final float[] bnd;
  private final float[] wrk1;

  private final float[] wrk2;
  private final double[] residuals;

  /** The block of the inner points {@code is} times {@code js}, counted from 0. */
  Block(Grid grid, Slice is, Slice js) {
    ni = is.count();
    nj = js.count();
    nk = grid.insideK();
    // One more than needed: strides that are powers of two make points compete for cache lines.
    strideJ = nk + 3;
    strideI = (nj + 2) * strideJ;
    int size = Math.multiplyExact(ni + 2, strideI);

    p = new float[size];
    for (int i = 0; i < ni + 2; i++) {
      int global = is.first() + i;
      float pressure = (float) (global * global) / ((grid.imax - 1) * (grid.imax - 1));
      Arrays.fill(p, i * strideI, (i + 1) * strideI, pressure);
    }
    a0 = filled(size, 1);
    a1 = filled(size, 1);
    a2 = filled(size, 1);
    a3 = filled(size, 1 / 6f);
    b0 = filled(size, 0);
    b1 = filled(size, 0);
    b2 = filled(size, 0);
    c0 = filled(size, 1);
    c1 = filled(size, 1);
    c2 = filled(size, 1);
    bnd = filled(size, 1);
    wrk1 = filled(size, 0);
    wrk2 = new float[size];
    residuals = new double[nk];
  }

  private static float[] filled(int size, float value) {
    float[] array = new float[size];
    Arrays.fill(array, value);
    return array;
  }

  /** Where in memory the row of a point with k = 0 begins; i and j count from 0. */
  int row(int i, int j) {
    return (i + 1) * strideI + (j + 1) * strideJ + 1;
  }

  /** One iteration; returns the sum of the squared residuals of this block. */
  double jacobi() {
    double gosa = 0;
    for (int i = 0; i < ni; i++) {
      for (int j = 0; j < nj; j++) {
        int row = row(i, j);
        computeResiduals(row);
        relax(row);
        gosa += sumOfSquares();
      }
    }
    for (int i = 0; i < ni; i++) {
      for (int j = 0; j < nj; j++) {
        System.arraycopy(wrk2, row(i, j), p, row(i, j), nk);
      }
    }
    return gosa;
  }

  /**
   * The 19-point stencil on a row. Its results go to an array of another type than its inputs: so
   * the compiler knows that no result is an input, and may compute several points at once.
   */
  private void computeResiduals(int row) {
    final float[] p = this.p;
    final double[] residuals = this.residuals;
    final int i = strideI;
    final int j = strideJ;
    for (int k = 0; k < nk; k++) {
      int x = row + k;
      float s0 =
          a0[x] * p[x + i]
              + a1[x] * p[x + j]
              + a2[x] * p[x + 1]
              + b0[x] * (p[x + i + j] - p[x + i - j] - p[x - i + j] + p[x - i - j])
              + b1[x] * (p[x + j + 1] - p[x - j + 1] - p[x + j - 1] + p[x - j - 1])
              + b2[x] * (p[x + i + 1] - p[x - i + 1] - p[x + i - 1] + p[x - i - 1])
              + c0[x] * p[x - i]
              + c1[x] * p[x - j]
              + c2[x] * p[x - 1]
              + wrk1[x];
      residuals[k] = (s0 * a3[x] - p[x]) * bnd[x];
    }
  }

  private void relax(int row) {
    for (int k = 0; k < nk; k++) {
      wrk2[row + k] = p[row + k] + OMEGA * (float) residuals[k];
    }
  }

  private double sumOfSquares() {
    double sum = 0;
    for (int k = 0; k < nk; k++) {
      sum += residuals[k] * residuals[k];
    }
    return sum;
  }
}
