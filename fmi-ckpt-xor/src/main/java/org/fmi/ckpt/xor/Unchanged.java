package org.fmi.ckpt.xor;

import java.util.BitSet;
import java.util.stream.IntStream;
import org.fmi.ckpt.xor.GroupExchange.Note;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an image that is being written which are as they were in the checkpoint that its
 * piece held before. The code of a row in which that is so on all members is still right, and lies
 * where it did ({@link PieceLayout}): it is neither computed nor sent.
 *
 * <p>What counts is what the piece held, two checkpoints ago mostly, not the last one: that is in
 * another piece, and is not touched. Members go by rows only if all of them had the same checkpoint
 * there, of the same attempt to write it.
 */
final class Unchanged {
  private static final long IS_THERE = 1L << Integer.SIZE;

  /** A checkpoint that was complete in a piece, and what tells attempts to write it apart. */
  record Before(CheckpointHeader header, PieceLayout layout, int digest) {}

  private final Before before;
  private final long rowBytes;

  /** Rows that were reported as unchanged from their beginning to their end. */
  private final BitSet whole = new BitSet();

  /** Rows that lie where they did in all layouts that the image had since it was begun. */
  private long inPlace;

  // What was reported last, with what went before it without a gap.
  private long from;
  private long to;

  Unchanged(Before before, PieceLayout now) {
    this.before = before;
    this.rowBytes = before.layout.rowBytes();
    this.inPlace = before.layout.fullRows();
    laidOut(now);
  }

  /** The image has another layout, in the same piece: behind its rows there may have been image. */
  void laidOut(PieceLayout now) {
    inPlace = Math.min(inPlace, now.fullRows());
  }

  /**
   * A part of the image is as it was.
   *
   * @throws IllegalArgumentException if it lies before what was reported last
   */
  void add(long begin, long end) {
    if (begin < to || end < begin) {
      throw new IllegalArgumentException(
          "unchanged from %d to %d, after what was so to %d".formatted(begin, end, to));
    }
    if (begin > to) {
      from = begin;
    }
    to = end;
    int first = row(Math.ceilDiv(from, rowBytes));
    int last = row(end / rowBytes);
    if (first < last) {
      whole.set(first, last);
    }
  }

  private static int row(long number) {
    return Math.toIntExact(number);
  }

  /** What this member says of the checkpoint that its piece held before. */
  static Note note(@Nullable Unchanged mine, @Nullable String failure) {
    return mine == null
        ? new Note(0, 0, failure)
        : new Note(
            IS_THERE | Integer.toUnsignedLong(mine.before.digest),
            mine.before.header.id().version(),
            failure);
  }

  /** Rows that have full blocks before and now, on all members alike. */
  private int comparable(PieceLayout now) {
    return row(Math.min(before.layout.fullRows(), now.fullRows()));
  }

  /** Rows for which there is one mark. */
  private static int rowsOfMark(int comparable) {
    return Math.max(1, Math.ceilDiv(comparable, GroupExchange.MARKS));
  }

  /** Marks what of this member's image was changed, as far as others can have it unchanged. */
  BitSet marks(PieceLayout now) {
    int rows = comparable(now);
    BitSet marks = new BitSet();
    for (int row = 0; row < rows; row++) {
      if (!isUnchanged(row, now)) {
        marks.set(row / rowsOfMark(rows));
      }
    }
    return marks;
  }

  private boolean isUnchanged(int row, PieceLayout now) {
    if (row >= inPlace) {
      return false;
    }
    long shorter = Math.min(before.layout.imageBytes(), now.imageBytes());
    long longer = Math.max(before.layout.imageBytes(), now.imageBytes());
    boolean noneStored = row * rowBytes >= longer;
    return noneStored || (whole.get(row) && (row + 1) * rowBytes <= shorter);
  }

  /**
   * The rows whose code has to be computed.
   *
   * @param notes of all members
   * @param marks of all members together
   */
  static int[] rows(@Nullable Unchanged mine, PieceLayout now, Note[] notes, BitSet marks) {
    int[] all = now.rows();
    if (mine == null || !same(notes)) {
      return all;
    }
    int rows = mine.comparable(now);
    return IntStream.of(all)
        .filter(row -> row >= rows || marks.get(row / rowsOfMark(rows)))
        .toArray();
  }

  private static boolean same(Note[] notes) {
    for (Note note : notes) {
      if (note.first() == 0
          || note.first() != notes[0].first()
          || note.second() != notes[0].second()) {
        return false;
      }
    }
    return true;
  }

  /** How many bytes of an image lie in some rows. */
  static long bytes(int[] rows, PieceLayout layout) {
    long end = layout.imageBytes();
    long row = layout.rowBytes();
    return IntStream.of(rows).mapToLong(r -> Math.clamp(end - r * row, 0, row)).sum();
  }
}
