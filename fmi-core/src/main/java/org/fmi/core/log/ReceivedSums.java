package org.fmi.core.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.fmi.core.p2p.NativePieces;

/**
 * Length and checksum of each message received from one rank, by number. A replayed message is
 * compared with them. They are in native memory, as many as there is room for.
 */
final class ReceivedSums {
  /** Stands for the length of a message without an entry. */
  static final long NOT_STORED = -1;

  private static final int ENTRY_BYTES = 16;
  private static final int PIECE_ENTRIES = NativePieces.SMALLEST / ENTRY_BYTES;

  private final NativePieces room;
  private final List<MemorySegment> pieces = new ArrayList<>();

  /** Number of entries of the first piece that are no longer needed. */
  private int cut;

  /**
   * @param room memory for the sums of all ranks
   */
  ReceivedSums(NativePieces room) {
    this.room = room;
  }

  /** Adds a message. Returns false if there was no room. */
  boolean put(int number, long length, long sum) {
    int entry = number + cut;
    while (entry / PIECE_ENTRIES >= pieces.size()) {
      MemorySegment piece =
          room.hasRoom()
              ? room.take(NativePieces.SMALLEST, NativePieces.SMALLEST, NativePieces.SMALLEST)
              : null;
      if (piece == null) {
        return false;
      }
      pieces.add(piece.fill((byte) NOT_STORED));
    }
    MemorySegment piece = pieces.get(entry / PIECE_ENTRIES);
    long at = (long) entry % PIECE_ENTRIES * ENTRY_BYTES;
    piece.set(ValueLayout.JAVA_LONG, at, length);
    piece.set(ValueLayout.JAVA_LONG, at + Long.BYTES, sum);
    return true;
  }

  /**
   * Pairs of length and checksum of the first {@code count} messages, or of as many as are stored.
   */
  long[] first(int count) {
    int known = Math.clamp((long) pieces.size() * PIECE_ENTRIES - cut, 0, count);
    long[] all = new long[2 * known];
    for (int i = 0; i < known; ) {
      int entry = i + cut;
      int some = Math.min(known - i, PIECE_ENTRIES - entry % PIECE_ENTRIES);
      MemorySegment.copy(
          pieces.get(entry / PIECE_ENTRIES),
          ValueLayout.JAVA_LONG,
          (long) entry % PIECE_ENTRIES * ENTRY_BYTES,
          all,
          2 * i,
          2 * some);
      i += some;
    }
    return all;
  }

  /** Drops the first messages, and renumbers the rest from 0. */
  void cut(int count) {
    cut += count;
    int whole = Math.min(cut / PIECE_ENTRIES, pieces.size());
    List<MemorySegment> before = pieces.subList(0, whole);
    before.forEach(room::give);
    before.clear();
    cut = pieces.isEmpty() ? 0 : cut - whole * PIECE_ENTRIES;
  }

  void clear() {
    cut(pieces.size() * PIECE_ENTRIES);
    cut = 0;
  }
}
