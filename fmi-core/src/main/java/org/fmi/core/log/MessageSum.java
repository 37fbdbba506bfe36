package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.fmi.core.p2p.MessagePool;
import org.fmi.wire.Memory;

/**
 * Makes sums over the bytes of messages, by which one that is made again is compared with what came
 * before. They find what differs by accident; nobody has to be defended against here.
 *
 * <p>Allocates nothing. The JVM has code for CRC32C even before it compiles any: a program's first
 * messages are summed as fast as all others.
 */
final class MessageSum {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  /** Up to this many bytes are summed before that code would have begun. */
  private static final int SHORT = 32;

  /** It stays in the cache. */
  private static final int PIECE = 16 << 10;

  private final CRC32C crc = new CRC32C();
  private final MemorySegment piece = MessagePool.memory(PIECE);
  private final ByteBuffer buffer = piece.asByteBuffer();

  /** Of part of an array of primitives, in whole elements, or of a segment. */
  long of(Object base, long offset, long bytes) {
    if (bytes <= SHORT) {
      return ofShort(base, offset, (int) bytes);
    }
    crc.reset();
    for (long done = 0; done < bytes; done += PIECE) {
      int length = (int) Math.min(bytes - done, PIECE);
      Memory.toSegment(base, offset + done, piece, 0, length);
      crc.update(buffer.clear().limit(length));
    }
    return 1 + crc.getValue();
  }

  private long ofShort(Object base, long offset, int bytes) {
    Memory.toSegment(base, offset, piece, 0, bytes);
    long sum = bytes;
    int at = 0;
    for (; at <= bytes - Long.BYTES; at += Long.BYTES) {
      sum = mix(sum) + piece.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }
    for (; at < bytes; at++) {
      sum = mix(sum) + piece.get(ValueLayout.JAVA_BYTE, at);
    }
    return mix(sum);
  }

  static long mix(long value) {
    long h = (value ^ value >>> 32) * PRIME;
    return h ^ h >>> 29;
  }
}
