package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.fmi.wire.Memory;

/**
 * A 64-bit sum over the bytes of a message, by which one that is made again is compared with what
 * came before. It finds what differs by accident; nobody has to be defended against here.
 */
final class MessageSum {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  /** Sums that do not wait for each other. */
  private static final int LANES = 4;

  private static final int STEP = LANES * Long.BYTES;

  private MessageSum() {}

  /** Of an array of primitives or a segment. */
  static long of(Object base, long offset, long bytes) {
    MemorySegment view = Memory.view(base);
    if (view != null) {
      return of(view, offset, bytes);
    }
    MemorySegment copy = MemorySegment.ofArray(new byte[(int) bytes]); // of booleans
    Memory.toSegment(base, offset, copy, 0, bytes);
    return of(copy, 0, bytes);
  }

  private static long of(MemorySegment memory, long from, long bytes) {
    long a = bytes;
    long b = 1;
    long c = 2;
    long d = 3;
    long at = from;
    long end = from + bytes;
    for (; at <= end - STEP; at += STEP) {
      a = a * PRIME + memory.get(LONG, at);
      b = b * PRIME + memory.get(LONG, at + 8);
      c = c * PRIME + memory.get(LONG, at + 16);
      d = d * PRIME + memory.get(LONG, at + 24);
    }
    for (; at <= end - Long.BYTES; at += Long.BYTES) {
      a = mix(a) + memory.get(LONG, at);
    }
    for (; at < end; at++) {
      a = mix(a) + memory.get(ValueLayout.JAVA_BYTE, at);
    }
    return mix(mix(mix(mix(a) + b) + c) + d);
  }

  private static long mix(long value) {
    long h = (value ^ value >>> 32) * PRIME;
    return h ^ h >>> 29;
  }
}
