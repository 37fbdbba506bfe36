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

  /** The connection to {@code peer} broke, or could not be made. */
  void onPeerLost(int peer, String reason);
}
