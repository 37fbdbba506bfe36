package org.fmi.sim.papers;

import java.util.List;

/** How well a second degree polynomial goes through points, by least squares. */
public final class QuadraticFit {
  private static final int COEFFICIENTS = 3;

  private QuadraticFit() {}

  /**
   * The coefficient of determination, R²: 1 if all points lie on the curve.
   *
   * @param points each an x, and a y; at least four different x
   */
  public static double determination(List<double[]> points) {
    double scale = points.stream().mapToDouble(p -> Math.abs(p[0])).max().orElse(1);
    double[][] equations = new double[COEFFICIENTS][COEFFICIENTS + 1];
    for (double[] point : points) {
      double[] powers = powers(point[0] / scale);
      for (int i = 0; i < COEFFICIENTS; i++) {
        for (int j = 0; j < COEFFICIENTS; j++) {
          equations[i][j] += powers[i] * powers[j];
        }
        equations[i][COEFFICIENTS] += powers[i] * point[1];
      }
    }
    double[] curve = solve(equations);
    double mean = points.stream().mapToDouble(p -> p[1]).average().orElse(0);
    double all = 0;
    double left = 0;
    for (double[] point : points) {
      double[] powers = powers(point[0] / scale);
      double fitted = curve[0] + curve[1] * powers[1] + curve[2] * powers[2];
      all += (point[1] - mean) * (point[1] - mean);
      left += (point[1] - fitted) * (point[1] - fitted);
    }
    return 1 - left / all;
  }

  private static double[] powers(double x) {
    return new double[] {1, x, x * x};
  }

  /** Gauss-Jordan; the normal equations have no zero on their diagonal. */
  private static double[] solve(double[][] rows) {
    for (int pivot = 0; pivot < COEFFICIENTS; pivot++) {
      for (int row = 0; row < COEFFICIENTS; row++) {
        double factor = row == pivot ? 0 : rows[row][pivot] / rows[pivot][pivot];
        for (int column = pivot; column <= COEFFICIENTS; column++) {
          rows[row][column] -= factor * rows[pivot][column];
        }
      }
    }
    double[] solution = new double[COEFFICIENTS];
    for (int i = 0; i < COEFFICIENTS; i++) {
      solution[i] = rows[i][COEFFICIENTS] / rows[i][i];
    }
    return solution;
  }
}
