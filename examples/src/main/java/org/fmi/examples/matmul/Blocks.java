package org.fmi.examples.matmul;

import org.fmi.examples.Share;

/**
 * Blocks of two matrices and of their product, row by row. All entries are whole numbers, so that
 * sums of them are exact in any order.
 *
 * @param size rows and columns of the matrices
 * @param count blocks in a row and in a column
 */
record Blocks(int size, int count) {

  Share share(int block) {
    return Share.of(size, count, block);
  }

  private static int a(int row, int column) {
    return (7 * row + 3 * column) % 11;
  }

  private static int b(int row, int column) {
    return (5 * row + 13 * column) % 7;
  }

  double[] a(Share rows, Share columns) {
    double[] block = new double[rows.count() * columns.count()];
    for (int i = 0; i < rows.count(); i++) {
      for (int j = 0; j < columns.count(); j++) {
        block[i * columns.count() + j] = a(rows.first() + i, columns.first() + j);
      }
    }
    return block;
  }

  double[] b(Share rows, Share columns) {
    double[] block = new double[rows.count() * columns.count()];
    for (int i = 0; i < rows.count(); i++) {
      for (int j = 0; j < columns.count(); j++) {
        block[i * columns.count() + j] = b(rows.first() + i, columns.first() + j);
      }
    }
    return block;
  }

  /** Adds the product of two blocks to a third one. */
  static void multiply(double[] a, double[] b, double[] c, int rows, int inner, int columns) {
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < inner; k++) {
        double factor = a[i * inner + k];
        for (int j = 0; j < columns; j++) {
          c[i * columns + j] += factor * b[k * columns + j];
        }
      }
    }
  }

  private static int weight(int index) {
    return index % 5 + 1;
  }

  /** The sum of a block of the product, each entry with the weights of its row and column. */
  double weighted(double[] c, Share rows, Share columns) {
    double sum = 0;
    for (int i = 0; i < rows.count(); i++) {
      for (int j = 0; j < columns.count(); j++) {
        sum += weight(rows.first() + i) * weight(columns.first() + j) * c[i * columns.count() + j];
      }
    }
    return sum;
  }

  /** The checksum of the whole product, without multiplying matrices. */
  double weighted() {
    double sum = 0;
    for (int k = 0; k < size; k++) {
      double column = 0;
      double row = 0;
      for (int i = 0; i < size; i++) {
        column += weight(i) * a(i, k);
        row += b(k, i) * weight(i);
      }
      sum += column * row;
    }
    return sum;
  }
}
