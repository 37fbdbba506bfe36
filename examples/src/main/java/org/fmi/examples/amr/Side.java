package org.fmi.examples.amr;

/** A side of a block. */
enum Side {
  ABOVE(0, -1, 0),
  BELOW(1, 1, 0),
  LEFT(2, 0, -1),
  RIGHT(3, 0, 1);

  static final int COUNT = 4;

  /** Less than {@link #COUNT}. */
  final int number;

  /** The neighbour stands this many rows below and columns to the right. */
  final int rows;

  final int cols;

  Side(int number, int rows, int cols) {
    this.number = number;
    this.rows = rows;
    this.cols = cols;
  }

  Side opposite() {
    return switch (this) {
      case ABOVE -> BELOW;
      case BELOW -> ABOVE;
      case LEFT -> RIGHT;
      case RIGHT -> LEFT;
    };
  }
}
