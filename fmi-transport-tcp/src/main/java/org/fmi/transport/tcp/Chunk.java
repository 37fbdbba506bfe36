package org.fmi.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.fmi.core.wire.FrameLayout;

/**
 * A reused piece of direct memory, seen as Netty's buffer, as a segment and as a {@link
 * ByteBuffer}.
 */
final class Chunk {
  /** Holds one frame of any size while another arrives behind it. */
  static final int BYTES = 2 * (TcpTransport.MAX_PAYLOAD + FrameLayout.HEADER_BYTES);

  final ByteBuf buffer;
  final MemorySegment memory;
  final ByteBuffer bytes;

  private Chunk() {
    bytes = ByteBuffer.allocateDirect(BYTES);
    memory = MemorySegment.ofBuffer(bytes);
    buffer = Unpooled.wrappedBuffer(bytes.duplicate()).clear();
  }

  /** Whether nobody but its owner holds it: Netty has written it, or dropped it. */
  boolean idle() {
    return buffer.refCnt() == 1;
  }

  /** Chunks to use again; a few, so that a burst to many peers does not stay in memory. */
  static final class Pool {
    private static final int KEEP = 16;
    private final ArrayDeque<Chunk> free = new ArrayDeque<>(KEEP);

    Chunk take() {
      Chunk chunk = free.pollLast();
      return chunk == null ? new Chunk() : chunk;
    }

    void give(Chunk chunk) {
      chunk.buffer.clear();
      if (free.size() < KEEP) {
        free.addLast(chunk);
      }
    }
  }
}
