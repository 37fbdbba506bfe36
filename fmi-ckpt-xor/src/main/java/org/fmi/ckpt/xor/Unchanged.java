package org.fmi.ckpt.xor;

import java.util.BitSet;
import java.util.stream.IntStream;
import org.fmi.ckpt.xor.GroupExchange.Note;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an image being written that are unchanged from the checkpoint that its piece held
 * before. If a row is unchanged on all members, its code is still right and in place ({@link
 * PieceLayout}), and is neither computed nor sent.
 *
 * <p>The comparison is with the piece's previous checkpoint, usually two checkpoints ago, not with
 * the last one, which is in another piece and stays untouched. Members compare by rows only if
 * their pieces all held the same checkpoint, from the same attempt to write it.
 */
final class Unchanged {
  private static final long IS_THERE = 1L << Integer.SIZE;

  /**
   * The complete checkpoint that a piece held, with a digest that distinguishes attempts to write
   * it.
   */
  record Before(CheckpointHeader header, PieceLayout layout, int digest) {}

  private final Before before;
  private final long rowBytes;

  /** Rows that were reported as completely unchanged. */
  private final BitSet whole = new BitSet();

  /** The number of rows that kept their place in all layouts of the image since it was begun. */
  private long inPlace;

  // The range reported last, merged with adjacent earlier ranges.
  private long from;
  private long to;

  Unchanged(Before before, PieceLayout now) {
    this.before = before;
    this.rowBytes = before.layout.rowBytes();
    this.inPlace = before.layout.fullRows();
    laidOut(now);
  }

  /** Notes a new layout of the image in the same piece: image data may have been after its rows. */
  void laidOut(PieceLayout now) {
    inPlace = Math.min(inPlace, now.fullRows());
  }

  /**
   * Reports a part of the image as unchanged.
   *
   * @throws IllegalArgumentException if it begins before the end of the previous part
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

  /** This member's note about the previous checkpoint of its piece. */
  static Note note(@Nullable Unchanged mine, @Nullable String failure) {
    return mine == null
        ? new Note(0, 0, failure)
        : new Note(
            IS_THERE | Integer.toUnsignedLong(mine.before.digest),
            mine.before.header.id().version(),
            failure);
  }

  /** The number of rows with full blocks before and now, the same on all members. */
  private int comparable(PieceLayout now) {
    return row(Math.min(before.layout.fullRows(), now.fullRows()));
  }

  /** The number of rows per mark. */
  private static int rowsOfMark(int comparable) {
    return Math.max(1, Math.ceilDiv(comparable, GroupExchange.MARKS));
  }

  /**
   * Marks the changed rows of this member's image, among rows that other members may have
   * unchanged.
   */
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
   * The rows whose code must be computed.
   *
   * @param notes the notes of all members
   * @param marks the union of all members' marks
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

  /** The number of bytes of an image in these rows. */
  static long bytes(int[] rows, PieceLayout layout) {
    long end = layout.imageBytes();
    long row = layout.rowBytes();
    return IntStream.of(rows).mapToLong(r -> Math.clamp(end - r * row, 0, row)).sum();
  }
}
