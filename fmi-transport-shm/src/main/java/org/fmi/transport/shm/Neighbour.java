package org.fmi.transport.shm;

import org.jspecify.annotations.Nullable;

/** Another rank of this node, as seen by this rank. */
final class Neighbour {
  final int rank;

  /** The name of its inbox, which is the prefix of all its files. */
  final String name;

  /** Null before its first use. */
  @Nullable Inbox inbox;

  /** Null until the neighbour has made a ring. */
  @Nullable InRing incoming;

  boolean lost;

  /** The damage of a ring between it and this rank; null if it is lost because it has left. */
  @Nullable String damage;

  /** Whether reading its memory was tried, and whether it is possible. */
  boolean tried;

  boolean readable;

  Neighbour(int rank, String name) {
    this.rank = rank;
    this.name = name;
  }
}
