package org.fmi.sim.scale;

import org.fmi.rules.LogRing;
import org.jspecify.annotations.Nullable;

/** What is left of a rank: where it is, and in which epoch. */
final class ThinRank {
  final int number;
  int node;
  int incarnation = -1;
  int epoch;
  boolean alive;

  /** Has joined some epoch: a loop's checkpoint is known. */
  boolean running;

  /** When the first news of the failure come to it, as far as known. */
  double noticeAt = Double.POSITIVE_INFINITY;

  /** Its part of the overlay, in the current epoch. */
  @Nullable LogRing overlay;

  ThinRank(int number) {
    this.number = number;
  }
}
