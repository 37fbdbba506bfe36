package org.fmi.sim.scale;

import org.fmi.rules.LogRing;
import org.jspecify.annotations.Nullable;

/** A rank reduced to its place and its epoch. */
final class ThinRank {
  final int number;
  int node;
  int incarnation = -1;
  int epoch;
  boolean alive;

  /** Has joined some epoch: a loop's checkpoint is known. */
  boolean running;

  /** The earliest known arrival of a notice of the failure. */
  double noticeAt = Double.POSITIVE_INFINITY;

  /** Whether it has been notified of a failure. */
  boolean leaves;

  /** Its part of the overlay, in the current epoch. */
  @Nullable LogRing overlay;

  ThinRank(int number) {
    this.number = number;
  }
}
