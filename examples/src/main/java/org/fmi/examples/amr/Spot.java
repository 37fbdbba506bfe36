package org.fmi.examples.amr;

/**
 * What heats the plate: a spot that goes around its middle.
 *
 * @param row where its middle is, from 0 at the upper edge to 1 at the lower
 * @param col where its middle is, from 0 at the left edge to 1 at the right
 */
record Spot(double row, double col) {
  private static final int ITERATIONS_AROUND = 1000;
  private static final double RADIUS = 0.06;
  private static final double POWER = 0.02;

  static Spot at(long iteration) {
    double around = (double) (iteration % ITERATIONS_AROUND) / ITERATIONS_AROUND;
    return new Spot(between(around), between((around + 0.25) % 1));
  }

  /** Goes from 0.2 to 0.8 and back. */
  private static double between(double around) {
    return 0.8 - 1.2 * Math.abs(around - 0.5);
  }

  /** How much hotter a place becomes in an iteration. */
  double heat(double atRow, double atCol) {
    double rows = (atRow - row) / RADIUS;
    double cols = (atCol - col) / RADIUS;
    return POWER * Math.max(0, 1 - rows * rows - cols * cols);
  }
}
