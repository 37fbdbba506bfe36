package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;

/**
 * The memory that a log copies messages to, one behind the other. Pieces are not used again: they
 * go when no message in them is needed.
 */
final class LogPieces {
  /** Pieces of memory: the first, and the largest. */
  private static final int FIRST = 16 << 10;

  private static final int LARGEST = 1 << 20;

  /** Pieces so far, each of which is twice as large as the one before. */
  private int count;

  private MemorySegment piece = MemorySegment.NULL;
  private long used;

  /** From now on messages go to new pieces. */
  void clear() {
    count = 0;
    piece = MemorySegment.NULL;
    used = 0;
  }

  /** Where there is room for a message, at {@link #used}; {@link #add} follows. */
  MemorySegment take(long length) {
    if (length > LARGEST) {
      piece = MemorySegment.NULL; // the rest of the piece before stays unused
      used = 0;
      return MessagePool.memory(length);
    }
    if (count == 0 || used + length > piece.byteSize()) {
      int size = Math.min(LARGEST, FIRST << Math.min(count, 6));
      piece = MessagePool.memory(Math.max(size, length));
      count++;
      used = 0;
    }
    return piece;
  }

  long used() {
    return used;
  }

  /** The message is there. */
  void add(long length) {
    used += (length + 7) & ~7L;
  }
}
