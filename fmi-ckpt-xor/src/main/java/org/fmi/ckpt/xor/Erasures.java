package org.fmi.ckpt.xor;

import java.util.Arrays;
import org.fmi.rules.GroupCode;

/**
 * The missing chunks of a stripe, and how to compute them from the other chunks. Encoding is the
 * case in which all sums are missing.
 *
 * <p>Sum r of data chunks d(0) ... d(m-1) is the sum of 2^(r(m-1-j)) d(j), in {@link Field}: r = 0
 * is XOR. Any missing chunks, up to the number of sums, follow from the rest: they solve a system
 * of equations in which no minor is zero, for up to {@link GroupCode#mostMembers} members.
 */
final class Erasures {
  private final Stripes stripes;

  /** The places of the missing chunks, ascending. */
  private final int[] missing;

  /** The sums to read, one per missing data chunk. */
  private final int[] read;

  /** Per missing data chunk, the factors of the differences of the read sums. */
  private final int[][] ofRead;

  /**
   * @param missing places in the stripe, at most as many as there are sums
   */
  Erasures(Stripes stripes, int... missing) {
    this.stripes = stripes;
    this.missing = missing.clone();
    Arrays.sort(this.missing);
    int[] data = Arrays.stream(this.missing).filter(place -> !stripes.isSum(place)).toArray();
    int[] sums = new int[data.length];
    int n = 0;
    for (int r = 0; n < sums.length; r++) {
      if (!isMissing(r)) {
        sums[n++] = r;
      }
    }
    this.read = sums;
    int[][] factors = new int[data.length][data.length];
    for (int a = 0; a < data.length; a++) {
      for (int b = 0; b < data.length; b++) {
        factors[a][b] = factor(read[a], data[b]);
      }
    }
    this.ofRead = inverse(factors);
  }

  int[] missing() {
    return missing.clone();
  }

  boolean isMissing(int place) {
    return Arrays.binarySearch(missing, place) >= 0;
  }

  /** Whether a chunk is read. */
  boolean needs(int place) {
    return !isMissing(place) && (!stripes.isSum(place) || Arrays.binarySearch(read, place) >= 0);
  }

  /** The number of sums to compute from the data: up to the last one that is read or missing. */
  int rows() {
    int rows = read.length == 0 ? 0 : read[read.length - 1] + 1;
    for (int place : missing) {
      rows = stripes.isSum(place) ? Math.max(rows, place + 1) : rows;
    }
    return rows;
  }

  /** The sums to read, ascending. */
  int[] read() {
    return read.clone();
  }

  /**
   * The factors by which the differences of the read sums add up to a missing data chunk.
   *
   * @param which the index among the missing data chunks, ascending
   */
  int[] factorsOfRead(int which) {
    return ofRead[which].clone();
  }

  /** Per missing data chunk, the factor of its contribution to a missing sum. */
  int[] factorsOfData(int sum) {
    return Arrays.stream(missing)
        .filter(place -> !stripes.isSum(place))
        .map(place -> factor(sum, place))
        .toArray();
  }

  private int factor(int sum, int dataPlace) {
    return Field.powerOfTwo(sum * (stripes.members() - 1 - dataPlace));
  }

  /** Inverts a matrix by Gauss-Jordan elimination, and destroys it. */
  private static int[][] inverse(int[][] matrix) {
    int n = matrix.length;
    int[][] inverse = new int[n][n];
    for (int i = 0; i < n; i++) {
      inverse[i][i] = 1;
    }
    for (int i = 0; i < n; i++) {
      int pivot = i;
      while (matrix[pivot][i] == 0) {
        pivot++;
      }
      swap(matrix, i, pivot);
      swap(inverse, i, pivot);
      int scale = Field.inverse(matrix[i][i]);
      addRow(matrix, i, i, scale ^ 1);
      addRow(inverse, i, i, scale ^ 1);
      for (int row = 0; row < n; row++) {
        int factor = row == i ? 0 : matrix[row][i];
        addRow(matrix, row, i, factor);
        addRow(inverse, row, i, factor);
      }
    }
    return inverse;
  }

  private static void swap(int[][] rows, int a, int b) {
    int[] row = rows[a];
    rows[a] = rows[b];
    rows[b] = row;
  }

  private static void addRow(int[][] rows, int to, int from, int factor) {
    for (int i = 0; i < rows.length; i++) {
      rows[to][i] ^= Field.times(factor, rows[from][i]);
    }
  }
}
