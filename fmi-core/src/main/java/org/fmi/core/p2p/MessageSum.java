package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.fmi.wire.Memory;

/**
 * Makes 64-bit sums over the bytes of messages, by which one that is made again is compared with
 * what came before. They find what differs by accident; nobody has to be defended against here.
 *
 * <p>Allocates nothing: what is in an array is copied to memory of its own, piece by piece.
 */
final class MessageSum {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  /** Four sums, which do not wait for each other, take this much at a time. */
  private static final int STEP = 4 * Long.BYTES;

  /** A multiple of that; it stays in the cache. */
  private static final int PIECE = 16 << 10;

  private final MemorySegment piece = MessagePool.memory(PIECE);

  /** Of part of an array of primitives, in whole elements, or of a segment. */
  long of(Object base, long offset, long bytes) {
    long a = bytes;
    long b = 1;
    long c = 2;
    long d = 3;
    long done = 0;
    while (bytes - done >= STEP) {
      long length = (bytes - done) / STEP * STEP;
      MemorySegment memory = piece;
      long at = 0;
      if (base instanceof MemorySegment segment) {
        memory = segment;
        at = offset + done;
      } else {
        length = Math.min(length, PIECE);
        Memory.toSegment(base, offset + done, piece, 0, length);
      }
      for (long end = at + length; at < end; at += STEP) {
        a = a * PRIME + memory.get(LONG, at);
        b = b * PRIME + memory.get(LONG, at + 8);
        c = c * PRIME + memory.get(LONG, at + 16);
        d = d * PRIME + memory.get(LONG, at + 24);
      }
      done += length;
    }
    int rest = (int) (bytes - done);
    Memory.toSegment(base, offset + done, piece, 0, rest);
    int at = 0;
    for (; at <= rest - Long.BYTES; at += Long.BYTES) {
      a = mix(a) + piece.get(LONG, at);
    }
    for (; at < rest; at++) {
      a = mix(a) + piece.get(ValueLayout.JAVA_BYTE, at);
    }
    return mix(mix(mix(mix(a) + b) + c) + d);
  }

  private static long mix(long value) {
    long h = (value ^ value >>> 32) * PRIME;
    return h ^ h >>> 29;
  }
}
