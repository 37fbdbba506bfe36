package org.fmi.testkit;

/** Keeps what travels one way in order, whatever the delays drawn for its parts. */
final class Lane {
  private final Simulation simulation;
  private long last;

  Lane(Simulation simulation) {
    this.simulation = simulation;
  }

  /** The delay that keeps the order. */
  long delay(long drawn) {
    long now = simulation.nanoTime();
    last = Math.max(last + 1, now + drawn);
    return last - now;
  }
}
