package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.fmi.core.p2p.MessagePool;
import org.fmi.wire.Memory;

/**
 * Computes checksums of messages, which compare a replayed message with the one received before.
 * They detect accidental differences, not attacks.
 *
 * <p>Allocates nothing. The JVM has intrinsic code for CRC32C even in the interpreter, so a
 * program's first messages are summed as fast as later ones.
 */
final class MessageSum {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  /** Messages up to this length are summed faster without the CRC32C intrinsic. */
  private static final int SHORT = 32;

  /** Small enough to stay in the cache. */
  private static final int PIECE = 16 << 10;

  private final CRC32C crc = new CRC32C();
  private final MemorySegment piece = MessagePool.memory(PIECE);
  private final ByteBuffer buffer = piece.asByteBuffer();

  /** The checksum of part of a primitive array, in whole elements, or of a segment. */
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
