package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.fmi.verbs.Verbs;
import org.fmi.wire.FrameLayout;

/** Registered memory for a number of frames of the largest size. */
final class Slab {
  /** A frame, padded so that the next one begins a cache line. */
  static final int FRAME_BYTES = RdmaTransport.MAX_PAYLOAD + 64;

  private static final int PAGE_BYTES = 4096;

  /** Not checked for its scope at each access; valid until its arena is closed. */
  final MemorySegment memory;

  final int key;

  static {
    assert FRAME_BYTES % 64 == 0
        && FRAME_BYTES >= RdmaTransport.MAX_PAYLOAD + FrameLayout.HEADER_BYTES;
  }

  /**
   * Registers memory until the device is closed.
   *
   * @param arena closed after the device
   */
  @SuppressWarnings("restricted") // only such a segment avoids the scope check
  Slab(Verbs verbs, Arena arena, int frames) throws IOException {
    MemorySegment allocated = arena.allocate((long) frames * FRAME_BYTES, PAGE_BYTES);
    key = verbs.register(allocated).key();
    memory = MemorySegment.ofAddress(allocated.address()).reinterpret(allocated.byteSize());
  }

  static long offset(int frame) {
    return (long) frame * FRAME_BYTES;
  }
}
