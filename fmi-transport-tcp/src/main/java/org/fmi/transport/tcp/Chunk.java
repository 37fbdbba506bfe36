package org.fmi.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashSet;
import org.fmi.wire.FrameLayout;

/** A reused piece of direct memory, as Netty's buffer, as a segment and as a {@link ByteBuffer}. */
final class Chunk {
  /** Room for one frame of any size while another one arrives after it. */
  static final int BYTES = 2 * (TcpTransport.MAX_PAYLOAD + FrameLayout.HEADER_BYTES);

  private final Arena arena = Arena.ofShared();
  final ByteBuf buffer;
  final MemorySegment memory;
  final ByteBuffer bytes;

  private Chunk() {
    memory = arena.allocate(BYTES);
    bytes = memory.asByteBuffer();
    buffer = Unpooled.wrappedBuffer(bytes.duplicate()).clear();
  }

  /** Whether only its owner holds it, as Netty has written or dropped it. */
  boolean idle() {
    return buffer.refCnt() == 1;
  }

  /**
   * Reusable chunks; only a few, so that a burst to many peers does not stay in memory. Further
   * ones are freed at once: the garbage collector, which sees only a small object, would act too
   * late.
   */
  static final class Pool implements AutoCloseable {
    private static final int KEEP = 16;
    private final ArrayDeque<Chunk> free = new ArrayDeque<>(KEEP);

    /** The free chunks and those in use. */
    private final HashSet<Chunk> all = new HashSet<>();

    Chunk take() {
      Chunk chunk = free.pollLast();
      if (chunk == null) {
        chunk = new Chunk();
        all.add(chunk);
      }
      return chunk;
    }

    void give(Chunk chunk) {
      chunk.buffer.clear();
      if (free.size() < KEEP) {
        free.addLast(chunk);
      } else {
        all.remove(chunk);
        chunk.arena.close();
      }
    }

    /** Frees chunks in use too, as their connections are closed. */
    @Override
    public void close() {
      for (Chunk chunk : all) {
        chunk.arena.close();
      }
      all.clear();
      free.clear();
    }

    // For tests.

    int size() {
      return all.size();
    }
  }
}
