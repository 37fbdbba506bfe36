package org.fmi.bench;

import java.util.Arrays;

/** Times of a job's iterations from its middle on, when its code is compiled. */
final class SecondHalf {
  private SecondHalf() {}

  /** The median, the upper one of two. */
  static double median(double[] all) {
    double[] measured = Arrays.copyOfRange(all, all.length / 2, all.length);
    Arrays.sort(measured);
    return measured[measured.length / 2];
  }
}
