package org.fmi.examples.himeno;

/**
 * The inner kernel: a sweep over all points of a block.
 *
 * <p>What it computes is fixed to the bit, whichever way it does so: a point's terms are added in
 * the order in which the benchmark writes them, rounded to float each time; the squares of a row's
 * residuals are added from k = 0 upwards in double, and then the rows' sums, by i and j.
 */
@FunctionalInterface
interface Sweep {
  /**
   * Computes the next pressure of each point.
   *
   * @return the sum of the squared residuals
   */
  double compute(float[] p, float[] next);
}
