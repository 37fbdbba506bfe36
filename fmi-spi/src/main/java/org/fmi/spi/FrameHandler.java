package org.fmi.spi;

import java.lang.foreign.MemorySegment;

/** Takes the frames that a transport has received. */
public interface FrameHandler {
  /**
   * A frame has arrived from the authenticated rank {@code peer}. Its memory is valid only during
   * the call.
   *
   * @param memory where it lies
   * @param at offset of its header ({@link org.fmi.wire.FrameLayout}); the payload follows the
   *     header
   */
  void onFrame(int peer, MemorySegment memory, long at);

  /**
   * Asks where the payload of a frame is to be put, of which only the header has arrived, for
   * transports that can receive it there. The place stays as it is until {@link #onLanded}.
   *
   * @param landing receives the place
   * @return whether there is one; if not, the frame is to be handed on when it is whole
   */
  default boolean land(int peer, MemorySegment memory, long at, Landing landing) {
    return false;
  }

  /** The payload of a frame lies where {@link #land} wanted it; in place of {@link #onFrame}. */
  default void onLanded(int peer, MemorySegment memory, long at) {
    throw new IllegalStateException("nothing lands from rank " + peer);
  }

  /**
   * Reading from {@code peer} has ended; only transports with a {@link RemoteMemory} say so.
   *
   * @param id see {@link RemoteMemory#read}
   * @param whole whether all is here; if not, all of it is to be fetched in frames
   */
  default void onRead(int peer, long id, boolean whole) {
    throw new IllegalStateException("nothing is read from rank " + peer);
  }

  /** The connection to {@code peer} broke, or could not be made. */
  void onPeerLost(int peer, String reason);
}
