package org.fmi.core.coll;

/** The kinds of collective messages; the ordinal is the tag of all messages of a kind. */
enum Kind {
  BARRIER,
  BCAST,
  GATHER,
  SCATTER,
  ALL_GATHER,
  ALL_TO_ALL,
  REDUCE,
  ALL_REDUCE,
  REDUCE_SCATTER,
  SCAN
}
