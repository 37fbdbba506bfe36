package org.fmi.examples.amr;

/**
 * A hot spot that circles around the middle of the plate.
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

  /** Returns a value between 0.2 and 0.8 that rises and falls. */
  private static double between(double around) {
    return 0.8 - 1.2 * Math.abs(around - 0.5);
  }

  /** Returns the rise of a place's temperature in an iteration. */
  double heat(double atRow, double atCol) {
    double rows = (atRow - row) / RADIUS;
    double cols = (atCol - col) / RADIUS;
    return POWER * Math.max(0, 1 - rows * rows - cols * cols);
  }
}
