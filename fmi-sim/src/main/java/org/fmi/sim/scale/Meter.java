package org.fmi.sim.scale;

/** Measures on this machine what a simulation only counts. */
public interface Meter {
  /** Its clock, in nanoseconds. */
  long nanos();

  /** How much of the heap is in use, without what nothing refers to. */
  long heapBytes();

  /** One more event has been decided on. */
  default void decided() {}
}
