package org.fmi.spi;

import java.lang.foreign.MemorySegment;

/** Takes the frames that a transport has received. */
public interface FrameHandler {
  /**
   * Takes a frame that has arrived from the authenticated rank {@code peer}. Its memory is valid
   * only during the call.
   *
   * @param memory the segment that holds it
   * @param at offset of its header ({@link org.fmi.wire.FrameLayout}); the payload follows the
   *     header
   */
  void onFrame(int peer, MemorySegment memory, long at);

  /**
   * Asks for the destination of a payload when only the frame's header has arrived, for transports
   * that can receive it in place. The destination stays valid until {@link #onLanded}.
   *
   * @param landing receives the destination
   * @return whether there is a destination; if not, the frame is delivered when it is complete
   */
  default boolean land(int peer, MemorySegment memory, long at, Landing landing) {
    return false;
  }

  /**
   * The payload of a frame is at the destination that {@link #land} gave; replaces {@link
   * #onFrame}.
   */
  default void onLanded(int peer, MemorySegment memory, long at) {
    throw new IllegalStateException("nothing lands from rank " + peer);
  }

  /**
   * Reading from {@code peer} has ended. Only transports with a {@link RemoteMemory} call this.
   *
   * @param id see {@link RemoteMemory#read}
   * @param whole whether all bytes have arrived; if not, all of them are to be fetched in frames
   */
  default void onRead(int peer, long id, boolean whole) {
    throw new IllegalStateException("nothing is read from rank " + peer);
  }

  /** The connection to {@code peer} broke, or could not be made. */
  void onPeerLost(int peer, String reason);
}
