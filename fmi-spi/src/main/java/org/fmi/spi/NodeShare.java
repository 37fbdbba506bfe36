package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory that ranks of one node share during an epoch, beside the frames of their transport:
 * collectives use it. It is gone when the transport is closed.
 */
public interface NodeShare {
  /**
   * The number of a rank's node; ranks that can share memory have the same, and all ranks see the
   * same numbers. Negative for a rank that cannot share memory.
   */
  int node(int rank);

  /**
   * Makes memory of zeros that others of the node can open.
   *
   * @param key among those that this rank has made, and has not {@link #hide hidden}, the only one
   * @throws IOException if there is no room
   */
  MemorySegment create(int key, long bytes) throws IOException;

  /**
   * Opens what another rank has made.
   *
   * @throws IOException if that is not possible, such as for memory that was hidden
   */
  MemorySegment open(int owner, int key) throws IOException;

  /**
   * Nobody can open it any more, from the end of the epoch on at the latest; those who have may go
   * on using it.
   */
  void hide(int key);

  /**
   * Gives up memory that was made or opened here, which this rank uses no more. Others may go on.
   * Does nothing after the end of the epoch.
   */
  void unmap(MemorySegment memory);

  /**
   * Wakes a rank that sleeps: what it waits for may have been written. Costs a look at its memory
   * if it is awake.
   */
  void nudge(int peer);
}
