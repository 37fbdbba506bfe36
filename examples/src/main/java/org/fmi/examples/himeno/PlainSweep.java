package org.fmi.examples.himeno;

/** The sweep in loops over arrays, written so that the JVM's compiler makes vectors of them. */
final class PlainSweep implements Sweep {
  private final Block block;
  private final double[] residuals;

  PlainSweep(Block block) {
    this.block = block;
    residuals = new double[block.nk];
  }

  @Override
  public double compute(float[] p, float[] next) {
    double gosa = 0;
    for (int i = 0; i < block.ni; i++) {
      for (int j = 0; j < block.nj; j++) {
        int row = block.row(i, j);
        computeResiduals(p, row);
        relax(p, next, row);
        gosa += sumOfSquares();
      }
    }
    return gosa;
  }

  /**
   * The 19-point stencil on a row. Its results go to an array of another type than its inputs: so
   * the compiler knows that no result is an input, and may compute several points at once.
   */
  private void computeResiduals(float[] p, int row) {
    final float[] a0 = block.a0;
    final float[] a1 = block.a1;
    final float[] a2 = block.a2;
    final float[] a3 = block.a3;
    final float[] b0 = block.b0;
    final float[] b1 = block.b1;
    final float[] b2 = block.b2;
    final float[] c0 = block.c0;
    final float[] c1 = block.c1;
    final float[] c2 = block.c2;
    final float[] bnd = block.bnd;
    final float[] wrk1 = block.wrk1;
    final double[] residuals = this.residuals;
    final int nk = block.nk;
    final int i = block.strideI;
    final int j = block.strideJ;
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

  private void relax(float[] p, float[] next, int row) {
    final double[] residuals = this.residuals;
    final int nk = block.nk;
    for (int k = 0; k < nk; k++) {
      next[row + k] = p[row + k] + Block.OMEGA * (float) residuals[k];
    }
  }

  private double sumOfSquares() {
    double sum = 0;
    for (int k = 0; k < block.nk; k++) {
      sum += residuals[k] * residuals[k];
    }
    return sum;
  }
}
