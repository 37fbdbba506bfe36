package org.fmi.core.coll;

/** The kinds of collective messages, each with the tag that all messages of the kind carry. */
enum Kind {
  BARRIER(1),
  BCAST(2),
  GATHER(3),
  SCATTER(4),
  ALL_GATHER(5),
  ALL_TO_ALL(6),
  REDUCE(7),
  ALL_REDUCE(8),
  REDUCE_SCATTER(9),
  SCAN(10);

  final int tag;

  Kind(int tag) {
    this.tag = tag;
  }

  static Kind of(int tag) {
    return values()[tag - 1];
  }
}
