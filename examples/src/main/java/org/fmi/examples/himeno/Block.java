package org.fmi.examples.himeno;

import java.util.Arrays;
import org.fmi.examples.Share;

/**
 * A rank's part of the grid, and Jacobi's method on it. It is cut out in directions i and j and
 * whole in direction k, in which memory is contiguous. Around its points lies one layer of points
 * that belong to its neighbours, or to the grid's boundary, which stays as it is.
 */
final class Block {
  /** The share of a residual that is added to the pressure. */
  static final float OMEGA = 0.8f;

  /** Points of this block, without the layer around them. */
  final int ni;

  final int nj;
  final int nk;

  /** Distance in memory from a point to the next one in direction j, and i. */
  final int strideJ;

  final int strideI;

  // The equation's coefficients: constant here, but the benchmark reads them from memory.
  final float[] a0;
  final float[] a1;
  final float[] a2;
  final float[] a3;
  final float[] b0;
  final float[] b1;
  final float[] b2;
  final float[] c0;
  final float[] c1;
  final float[] c2;
  final float[] bnd;
  final float[] wrk1;

  private final Sweep sweep;
  private final float[] start;

  /** The block of the inner points {@code is} times {@code js}, counted from 0. */
  Block(Grid grid, Share is, Share js, Kernel kernel) {
    ni = is.count();
    nj = js.count();
    nk = grid.insideK();
    // One more than needed: strides that are powers of two make points compete for cache lines.
    strideJ = nk + 3;
    strideI = (nj + 2) * strideJ;
    int size = Math.multiplyExact(ni + 2, strideI);

    start = new float[size];
    for (int i = 0; i < ni + 2; i++) {
      int global = is.first() + i;
      float pressure = (float) (global * global) / ((grid.imax() - 1) * (grid.imax() - 1));
      Arrays.fill(start, i * strideI, (i + 1) * strideI, pressure);
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
    sweep = kernel.over(this);
  }

  private static float[] filled(int size, float value) {
    float[] array = new float[size];
    Arrays.fill(array, value);
    return array;
  }

  /** Returns the index of a row's point with k = 0 in memory; i and j count from 0. */
  int row(int i, int j) {
    return (i + 1) * strideI + (j + 1) * strideJ + 1;
  }

  /** Returns the pressure before the first iteration, including the layer around the block. */
  float[] start() {
    return start.clone();
  }

  /**
   * Computes the next pressure of each point, without the layer around them.
   *
   * @param next the benchmark calls it wrk2
   * @return the sum of the squared residuals of this block
   */
  double sweep(float[] p, float[] next) {
    return sweep.compute(p, next);
  }

  /** The same, and takes the next pressure over. */
  double jacobi(float[] p, float[] next) {
    double gosa = sweep(p, next);
    for (int i = 0; i < ni; i++) {
      for (int j = 0; j < nj; j++) {
        System.arraycopy(next, row(i, j), p, row(i, j), nk);
      }
    }
    return gosa;
  }
}
