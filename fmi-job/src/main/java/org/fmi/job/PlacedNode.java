package org.fmi.job;

import java.util.TreeSet;

/** The facts that {@link Placement} knows of a node. */
final class PlacedNode {
  enum State {
    /** Started for the first time. */
    LAUNCHING,
    UP,
    /** Not heard; its ranks and its memory may return. */
    SILENT,
    LOST,
    /**
     * Without a daemon. Another one takes over its memory, and nothing runs on it; ranks wait for
     * it.
     */
    RETURNING,
    /** Lost, and being restarted until it is up: ranks wait for a place, or a user wants it. */
    AWAITED
  }

  final String name;
  final int capacity;

  /** Its rack; empty if unknown. */
  final String rack;

  State state = State.LAUNCHING;

  /** Whether it is about to be lost. */
  boolean leaving;

  /** Whether ranks have left it because other nodes do not hear it. */
  boolean cut;

  /** Whether it was granted to the job until it is lost: it does not return. */
  boolean lent;

  /** Free bytes for checkpoints when it came up. */
  long memoryFree = Long.MAX_VALUE;

  /** The ranks on it: few of very many. */
  final TreeSet<Integer> ranks = new TreeSet<>();

  /**
   * Ranks that have left it since the newest checkpoint was committed: what they had on it is still
   * there.
   */
  final TreeSet<Integer> left = new TreeSet<>();

  /** Number of ranks that have left it since it came up. */
  int departures;

  /** Number of its daemons that were restarted since all ranks last ran. */
  int restarts;

  PlacedNode(String name, int capacity, String rack) {
    this.name = name;
    this.capacity = capacity;
    this.rack = rack;
  }

  int load() {
    return ranks.size();
  }

  /** Whether ranks wait for it. */
  boolean isMissing() {
    return state != State.UP && !ranks.isEmpty();
  }

  /** Whether it has more ranks than slots. */
  boolean isCrowded() {
    return load() > capacity;
  }

  /** Whether it may take ranks permanently. */
  boolean stays() {
    return state == State.UP && !leaving && !cut;
  }

  /** Whether it is up or starting for the first time. */
  boolean isUpOrStarting() {
    return state == State.UP || state == State.LAUNCHING;
  }

  boolean hasRoom() {
    return load() < capacity;
  }
}
