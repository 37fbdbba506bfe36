package org.fmi.examples.himeno;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The sweep with the Vector API: computes as many points of a row at once as a register of the
 * processor holds, each as {@link PlainSweep} does.
 */
final class VectorSweep implements Sweep {
  /** No more than 16 points at once: even the shortest row of a {@link Grid} has more. */
  private static final VectorSpecies<Float> SPECIES =
      FloatVector.SPECIES_PREFERRED.length() <= FloatVector.SPECIES_512.length()
          ? FloatVector.SPECIES_PREFERRED
          : FloatVector.SPECIES_512;

  /**
   * Number of rows whose squares are added side by side. Each row's sum is a chain of additions
   * that wait for one another, so several chains take no longer than one.
   */
  private static final int ROWS = 4;

  private final Block block;

  /** Of {@link #ROWS} rows in turn. */
  private final float[] residuals;

  /** Of one row: the first terms of the stencil, and those with the next ones. */
  private final float[] sums;

  private final float[] moreSums;

  VectorSweep(Block block) {
    this.block = block;
    residuals = new float[ROWS * block.nk];
    sums = new float[block.nk];
    moreSums = new float[block.nk];
  }

  @Override
  public double compute(float[] p, float[] next) {
    final int nj = block.nj;
    final int nk = block.nk;
    double gosa = 0;
    for (int i = 0; i < block.ni; i++) {
      int j = 0;
      for (; j <= nj - ROWS; j += ROWS) {
        for (int r = 0; r < ROWS; r++) {
          computeRow(p, next, block.row(i, j + r), r * nk);
        }
        gosa = addSumsOfSquares(gosa);
      }
      for (; j < nj; j++) {
        computeRow(p, next, block.row(i, j), 0);
        gosa += sumOfSquares();
      }
    }
    return gosa;
  }

  /**
   * The 19-point stencil on a row, and its next pressures; residuals go to {@code at} onwards. In
   * three loops: in one, it is more than the JVM's compiler inlines, and what it does not inline
   * makes objects of vectors.
   */
  private void computeRow(float[] p, float[] next, int row, int at) {
    addStraightTermsAhead(p, row);
    addDiagonalTerms(p, row);
    addStraightTermsBehind(p, next, row, at);
  }

  /**
   * Returns the beginning of a vector in the row: the last one overlaps the one before if it must,
   * and has the same results there.
   */
  private static int begin(int k, int nk) {
    return Math.min(k, nk - SPECIES.length());
  }

  private void addStraightTermsAhead(float[] p, int row) {
    final float[] a0 = block.a0;
    final float[] a1 = block.a1;
    final float[] a2 = block.a2;
    final float[] b0 = block.b0;
    final float[] sums = this.sums;
    final int nk = block.nk;
    final int i = block.strideI;
    final int j = block.strideJ;
    for (int k = 0; k < nk; k += SPECIES.length()) {
      int from = begin(k, nk);
      int x = row + from;
      at(a0, x)
          .mul(at(p, x + i))
          .add(at(a1, x).mul(at(p, x + j)))
          .add(at(a2, x).mul(at(p, x + 1)))
          .add(cross(p, x, i, j).mul(at(b0, x)))
          .intoArray(sums, from);
    }
  }

  private void addDiagonalTerms(float[] p, int row) {
    final float[] b1 = block.b1;
    final float[] b2 = block.b2;
    final float[] before = this.sums;
    final float[] sums = this.moreSums;
    final int nk = block.nk;
    final int i = block.strideI;
    final int j = block.strideJ;
    for (int k = 0; k < nk; k += SPECIES.length()) {
      int from = begin(k, nk);
      int x = row + from;
      at(before, from)
          .add(cross(p, x, 1, j).mul(at(b1, x)))
          .add(cross(p, x, 1, i).mul(at(b2, x)))
          .intoArray(sums, from);
    }
  }

  private void addStraightTermsBehind(float[] p, float[] next, int row, int at) {
    final float[] a3 = block.a3;
    final float[] c0 = block.c0;
    final float[] c1 = block.c1;
    final float[] c2 = block.c2;
    final float[] bnd = block.bnd;
    final float[] wrk1 = block.wrk1;
    final float[] before = this.moreSums;
    final float[] residuals = this.residuals;
    final int nk = block.nk;
    final int i = block.strideI;
    final int j = block.strideJ;
    for (int k = 0; k < nk; k += SPECIES.length()) {
      int from = begin(k, nk);
      int x = row + from;
      FloatVector pressure = at(p, x);
      FloatVector residual =
          at(before, from)
              .add(at(c0, x).mul(at(p, x - i)))
              .add(at(c1, x).mul(at(p, x - j)))
              .add(at(c2, x).mul(at(p, x - 1)))
              .add(at(wrk1, x))
              .mul(at(a3, x))
              .sub(pressure)
              .mul(at(bnd, x));
      residual.intoArray(residuals, at + from);
      residual.mul(Block.OMEGA).add(pressure).intoArray(next, x);
    }
  }

  /** The four points across the edges in two directions, given by their strides. */
  private static FloatVector cross(float[] p, int x, int d, int e) {
    return at(p, x + d + e).sub(at(p, x + d - e)).sub(at(p, x - d + e)).add(at(p, x - d - e));
  }

  private static FloatVector at(float[] array, int x) {
    return FloatVector.fromArray(SPECIES, array, x);
  }

  /** Adds the rows' sums one after the other, as if each had been computed alone. */
  private double addSumsOfSquares(double gosa) {
    final float[] residuals = this.residuals;
    final int nk = block.nk;
    double sum0 = 0;
    double sum1 = 0;
    double sum2 = 0;
    double sum3 = 0;
    for (int k = 0; k < nk; k++) {
      double residual0 = residuals[k];
      double residual1 = residuals[nk + k];
      double residual2 = residuals[2 * nk + k];
      double residual3 = residuals[3 * nk + k];
      sum0 += residual0 * residual0;
      sum1 += residual1 * residual1;
      sum2 += residual2 * residual2;
      sum3 += residual3 * residual3;
    }
    return gosa + sum0 + sum1 + sum2 + sum3;
  }

  private double sumOfSquares() {
    double sum = 0;
    for (int k = 0; k < block.nk; k++) {
      double residual = residuals[k];
      sum += residual * residual;
    }
    return sum;
  }
}
