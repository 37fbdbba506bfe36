package org.fmi.examples.himeno;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.fmi.examples.Options;

/**
 * Points in each direction, including the boundary.
 *
 * @param name as the user gives it
 */
record Grid(String name, int imax, int jmax, int kmax) {
  /** The smallest of the official sizes. */
  static final Grid XS = new Grid("XS", 32, 32, 64);

  private static final Map<String, Grid> OFFICIAL = new LinkedHashMap<>();

  static {
    for (Grid grid :
        new Grid[] {
          XS,
          new Grid("S", 64, 64, 128),
          new Grid("M", 128, 128, 256),
          new Grid("L", 256, 256, 512),
          new Grid("XL", 512, 512, 1024)
        }) {
      OFFICIAL.put(grid.name, grid);
    }
  }

  /** Returns the grid that the user wants; ends the program if there is none of that name. */
  static Grid of(Options options) {
    String text = options.text("--grid", XS.name);
    Grid official = OFFICIAL.get(text);
    if (official != null) {
      return official;
    }
    int[] points = Options.factors(text, 3);
    if (points != null && Arrays.stream(points).min().orElseThrow() > 2 && isForAnArray(points)) {
      return new Grid(text, points[0], points[1], points[2]);
    }
    throw options.refuse(
        "--grid "
            + text
            + ": must be one of "
            + String.join(", ", OFFICIAL.keySet())
            + ", or points in three directions such as 96x64x128, from 3 on, and at most "
            + Integer.MAX_VALUE
            + " in all");
  }

  private static boolean isForAnArray(int[] points) {
    long plane = (long) points[0] * points[1];
    return plane <= Integer.MAX_VALUE && plane * points[2] <= Integer.MAX_VALUE;
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
