package org.fmi.transport.shm;

import org.jspecify.annotations.Nullable;

/** Another rank of this node, as this rank knows it. */
final class Neighbour {
  final int rank;

  /** Of its inbox; the names of all its files begin with it. */
  final String name;

  /** Null before something is to be said to it. */
  @Nullable Inbox inbox;

  /** Null until it has made one. */
  @Nullable InRing incoming;

  boolean lost;

  /** Whether it was tried to read its memory, and whether that can be done. */
  boolean tried;

  boolean readable;

  Neighbour(int rank, String name) {
    this.rank = rank;
    this.name = name;
  }
}
