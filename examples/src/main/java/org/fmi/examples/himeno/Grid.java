package org.fmi.examples.himeno;

/** The official sizes: points in each direction, those on the boundary included. */
enum Grid {
  XS(32, 32, 64),
  S(64, 64, 128),
  M(128, 128, 256),
  L(256, 256, 512),
  XL(512, 512, 1024);

  final int imax;
  final int jmax;
  final int kmax;

  Grid(int imax, int jmax, int kmax) {
    this.imax = imax;
    this.jmax = jmax;
    this.kmax = kmax;
  }

  /** Points inside of the boundary, in direction i. */
  int insideI() {
    return imax - 2;
  }

  /** Points inside of the boundary, in direction j. */
  int insideJ() {
    return jmax - 2;
  }

  /** Points inside of the boundary, in direction k. */
  int insideK() {
    return kmax - 2;
  }

  /** Floating point operations of one iteration, as the benchmark counts them. */
  double flops() {
    return 34.0 * insideI() * insideJ() * insideK();
  }
}
