package org.fmi.sim.scale;

/** Measures on this machine what a simulation only counts. */
public interface Meter {
  /** Returns the machine's clock, in nanoseconds. */
  long nanos();

  /** Returns the heap in use, without garbage. */
  long heapBytes();

  /** Notes one more decided event. */
  default void decided() {}
}
