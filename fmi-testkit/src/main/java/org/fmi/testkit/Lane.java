package org.fmi.testkit;

/** Keeps one direction of a connection in order, whatever delays are drawn for its parts. */
final class Lane {
  private final Simulation simulation;
  private long last;

  Lane(Simulation simulation) {
    this.simulation = simulation;
  }

  /** Lengthens a drawn delay as far as the order requires. */
  long delay(long drawn) {
    long now = simulation.nanoTime();
    last = Math.max(last + 1, now + drawn);
    return last - now;
  }
}
