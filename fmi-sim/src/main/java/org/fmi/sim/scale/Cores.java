package org.fmi.sim.scale;

import java.util.PriorityQueue;

/** The cores of one machine: who needs one waits until one is free, first come, first served. */
final class Cores {
  private final PriorityQueue<Double> freeAt = new PriorityQueue<>();

  Cores(int count) {
    for (int i = 0; i < count; i++) {
      freeAt.add(0.0);
    }
  }

  /** Computes for so long from this time on, or as soon as a core is free; returns when it ends. */
  double compute(double from, double seconds) {
    Double free = freeAt.poll();
    assert free != null : "a machine without cores";
    double end = Math.max(from, free) + seconds;
    freeAt.add(end);
    return end;
  }
}
