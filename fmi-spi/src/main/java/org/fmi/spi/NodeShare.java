package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.MemorySegment;

/**
 * Memory that ranks of one node share during an epoch, beside their transport's frames; used by
 * collectives. It is gone when the transport is closed.
 */
public interface NodeShare {
  /**
   * The number of a rank's node. Ranks that can share memory have the same number, and all ranks
   * see the same numbers. Negative for a rank that cannot share memory.
   */
  int node(int rank);

  /**
   * Creates zeroed memory that other ranks of the node can open.
   *
   * @param key unique among the segments that this rank has created and not {@link #hide hidden}
   * @throws IOException if there is no room
   */
  MemorySegment create(int key, long bytes) throws IOException;

  /**
   * Opens memory that another rank has created.
   *
   * @throws IOException if that is impossible, for example because the memory was hidden
   */
  MemorySegment open(int owner, int key) throws IOException;

  /**
   * Makes memory impossible to open, from the end of the epoch on at the latest. Ranks that have
   * opened it may continue to use it.
   */
  void hide(int key);

  /**
   * Unmaps memory that was created or opened here and that this rank no longer uses. Other ranks
   * may continue to use it. Does nothing after the end of the epoch.
   */
  void unmap(MemorySegment memory);

  /**
   * Wakes a rank that sleeps, as the memory that it waits for may have changed. Costs one read of
   * its memory if it is awake.
   */
  void nudge(int peer);
}
