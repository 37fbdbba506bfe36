package org.fmi.testkit;

import java.lang.foreign.MemorySegment;

/**
 * Observes the ranks' traffic: frames in flight, and the messages that programs report to send and
 * receive.
 */
public interface SimTraffic {
  /** A transport has accepted a frame. Changes to it arrive. */
  default void onFrame(SimProcess from, int to, MemorySegment frame) {}

  /** A frame has arrived. */
  default void onArrival(SimProcess at, int from, MemorySegment frame) {}

  /**
   * The program of a rank is before an iteration of its first loop, for the first time or again.
   */
  default void onIteration(int rank, long iteration) {}

  /** The program of a rank is about to send a message. */
  default void onSend(int rank, int dest, int tag, long[] data) {}

  /** The program of a rank has received a message. */
  default void onReceive(int rank, int source, int tag, long[] data) {}
}
