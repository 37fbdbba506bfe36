package org.fmi.core.spi;

import java.lang.foreign.MemorySegment;

/** Takes the frames that a transport has received. */
public interface FrameHandler {
  /**
   * A frame has arrived from the authenticated rank {@code peer}. Its memory is valid only during
   * the call.
   *
   * @param memory where it lies
   * @param at offset of its header ({@link org.fmi.core.wire.FrameLayout}); the payload follows the
   *     header
   */
  void onFrame(int peer, MemorySegment memory, long at);

  /**
   * What was read from {@code peer} is here; only transports with a {@link RemoteMemory} say so.
   *
   * @param id see {@link RemoteMemory#read}
   */
  default void onRead(int peer, long id) {
    throw new IllegalStateException("nothing is read from rank " + peer);
  }

  /** The connection to {@code peer} broke, or could not be made. */
  void onPeerLost(int peer, String reason);
}
