package org.fmi.examples.himeno;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.fmi.examples.Options;

/**
 * Points in each direction, those on the boundary included.
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

  /** Three numbers that have a point inside of the boundary, and whose product may be an int. */
  private static final Pattern POINTS = Pattern.compile("(\\d{1,5})x(\\d{1,5})x(\\d{1,5})");

  /** The one that the user wants; ends the program if there is none such. */
  static Grid of(Options options) {
    String text = options.text("--grid", XS.name);
    Grid official = OFFICIAL.get(text);
    if (official != null) {
      return official;
    }
    Matcher points = POINTS.matcher(text);
    if (points.matches()) {
      Grid grid = new Grid(text, number(points, 1), number(points, 2), number(points, 3));
      long all = (long) grid.imax * grid.jmax * grid.kmax;
      if (grid.imax > 2 && grid.jmax > 2 && grid.kmax > 2 && all <= Integer.MAX_VALUE) {
        return grid;
      }
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

  private static int number(Matcher points, int group) {
    return Integer.parseInt(points.group(group));
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
