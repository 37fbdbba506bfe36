package org.fmi.examples.cg;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.fmi.examples.Share;

/**
 * The rows of a sparse matrix that one rank has, each a list of columns and values (CSR). It
 * multiplies vectors that begin with the rank's own elements; the foreign elements, which these
 * rows need of other ranks, follow in the order of their columns.
 */
final class Rows {
  final Share own;

  /** The columns of other ranks that these rows need, ascending. */
  final int[] foreign;

  /** Beginning of each row in {@link #columns} and {@link #values}, and the end of the last one. */
  private final int[] begins;

  /** Place in a vector of each value's factor. */
  private final int[] columns;

  private final double[] values;

  private Rows(Share own, int[] begins, int[] columns, double[] values) {
    this.own = own;
    this.begins = begins;
    this.values = values;
    foreign = IntStream.of(columns).filter(c -> !own.contains(c)).sorted().distinct().toArray();
    this.columns =
        IntStream.of(columns)
            .map(c -> own.contains(c) ? c - own.first() : own.count() + indexOfForeign(c))
            .toArray();
  }

  private int indexOfForeign(int column) {
    return Arrays.binarySearch(foreign, column);
  }

  /**
   * Rows of the matrix of Poisson's equation in a square of {@code size} times {@code size} points:
   * 4 for a point itself, -1 for each of its neighbours.
   */
  static Rows poisson(int size, Share own) {
    int[] begins = new int[own.count() + 1];
    int[] columns = new int[5 * own.count()];
    double[] values = new double[5 * own.count()];
    int[] steps = {-size, -1, 0, 1, size};
    int at = 0;
    for (int row = 0; row < own.count(); row++) {
      int point = own.first() + row;
      boolean[] inside = {
        point >= size, point % size > 0, true, point % size < size - 1, point < size * (size - 1)
      };
      for (int i = 0; i < steps.length; i++) {
        if (inside[i]) {
          columns[at] = point + steps[i];
          values[at++] = steps[i] == 0 ? 4 : -1;
        }
      }
      begins[row + 1] = at;
    }
    return new Rows(own, begins, Arrays.copyOf(columns, at), Arrays.copyOf(values, at));
  }

  /** A vector with room for the foreign elements. */
  double[] vector() {
    return new double[own.count() + foreign.length];
  }

  /** Computes the own elements of the product with {@code v}. */
  void multiply(double[] v, double[] product) {
    for (int row = 0; row < own.count(); row++) {
      double sum = 0;
      for (int i = begins[row]; i < begins[row + 1]; i++) {
        sum += values[i] * v[columns[i]];
      }
      product[row] = sum;
    }
  }
}
