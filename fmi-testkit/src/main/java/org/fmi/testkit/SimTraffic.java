package org.fmi.testkit;

import java.lang.foreign.MemorySegment;

/**
 * Sees what ranks send each other: frames on their way, and messages as programs say that they send
 * and receive them.
 */
public interface SimTraffic {
  /** A transport has accepted a frame. What is changed in it arrives changed. */
  default void onFrame(SimProcess from, int to, MemorySegment frame) {}

  /** A frame has arrived. */
  default void onArrival(SimProcess at, int from, MemorySegment frame) {}

  /**
   * The program of a rank stands before this iteration of its first loop, for the first time or
   * not.
   */
  default void onIteration(int rank, long iteration) {}

  /** The program of a rank is about to send this. */
  default void onSend(int rank, int dest, int tag, long[] data) {}

  /** The program of a rank has received this. */
  default void onReceive(int rank, int source, int tag, long[] data) {}
}
