package org.fmi.job;

/** A place in the program, used to measure progress. */
record Place(long loop, long iteration) {
  boolean isBeyond(Place other) {
    return loop > other.loop || (loop == other.loop && iteration > other.iteration);
  }
}
