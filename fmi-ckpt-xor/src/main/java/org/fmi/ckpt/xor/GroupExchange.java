package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;
import org.fmi.spi.NoRoomException;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges short notes among all members of a group in ceil(log2 n) rounds: in round k every
 * member sends all notes it has to the member 2^k places before it.
 */
final class GroupExchange {
  private static final int TAG = 1;

  /*
   *   0 first   8
   *   8 second  8
   *  16 length of the text, -1 for none  4
   *  20 text, UTF-8
   *  24 or, if there is none, marks
   */
  private static final int NOTE_BYTES = 512;
  private static final int TEXT_AT = 20;
  private static final int MARKS_AT = 24;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /** The number of marks per note. */
  static final int MARKS = (NOTE_BYTES - MARKS_AT) * Byte.SIZE;

  /**
   * The note of one member.
   *
   * @param failure the reason why it cannot continue; null if it can. Cut if too long.
   */
  record Note(long first, long second, @Nullable String failure) {
    Note(long first, long second) {
      this(first, second, null);
    }
  }

  private final Comm comm;
  private final int[] group;
  private final int me;
  private final MemorySegment notes;

  /** The number of notes received in the current exchange. */
  private int have;

  private @Nullable Request receiving;
  private @Nullable Request sending;

  GroupExchange(Comm comm, int[] group, int me) {
    this.comm = comm;
    this.group = group;
    this.me = me;
    this.notes = MemorySegment.ofArray(new byte[group.length * NOTE_BYTES]);
  }

  /**
   * Exchanges notes; collective over the group.
   *
   * @return the notes of all members, by index in the group
   */
  Note[] exchange(Note mine) {
    begin(mine);
    while (!isComplete()) {
      step();
    }
    return notes();
  }

  /** Begins an exchange; {@link #step} follows until it is complete. */
  void begin(Note mine) {
    begin(mine, new BitSet());
  }

  /**
   * Begins an exchange of notes, with marks.
   *
   * @param marks less than {@link #MARKS}; not sent by a member that cannot continue
   */
  void begin(Note mine, BitSet marks) {
    write(mine);
    if (mine.failure == null) {
      MemorySegment own = notes.asSlice(MARKS_AT, NOTE_BYTES - MARKS_AT).fill((byte) 0);
      MemorySegment.copy(
          MemorySegment.ofArray(marks.toByteArray()), 0, own, 0, (marks.length() + 7) / 8);
    }
    have = 1;
    beginRound();
  }

  private void beginRound() {
    int members = group.length;
    if (have < members) {
      int count = Math.min(have, members - have);
      int before = group[(me - have + members) % members];
      int after = group[(me + have) % members];
      receiving =
          comm.irecv(
              Slice.of(notes, (long) have * NOTE_BYTES, (long) count * NOTE_BYTES), after, TAG);
      sending = comm.isend(Slice.of(notes, 0, (long) count * NOTE_BYTES), before, TAG);
    }
  }

  boolean isComplete() {
    return have >= group.length;
  }

  /** Whether the next step need not wait. */
  boolean isReady() {
    return isComplete() || (isOver(receiving) && isOver(sending));
  }

  private static boolean isOver(@Nullable Request request) {
    return request == null || request.status() != null;
  }

  /** Ends a round, and begins the next one. */
  void step() {
    Request.waitAll(Objects.requireNonNull(receiving), Objects.requireNonNull(sending));
    have *= 2;
    beginRound();
  }

  /** The union of all members' marks, after an exchange without a failure. */
  BitSet marks() {
    BitSet all = new BitSet();
    for (long at = 0; at < notes.byteSize(); at += NOTE_BYTES) {
      all.or(BitSet.valueOf(notes.asSlice(at + MARKS_AT, NOTE_BYTES - MARKS_AT).asByteBuffer()));
    }
    return all;
  }

  /** The notes of an exchange, by index in the group. */
  Note[] notes() {
    int members = group.length;
    Note[] all = new Note[members];
    for (int i = 0; i < members; i++) {
      all[(me + i) % members] = read((long) i * NOTE_BYTES);
    }
    return all;
  }

  /** A note with the reason why this member cannot continue. */
  static Note note(@Nullable NoRoomException failure) {
    return new Note(0, 0, text(failure));
  }

  static @Nullable String text(@Nullable NoRoomException failure) {
    return failure == null ? null : String.valueOf(failure.getMessage());
  }

  /**
   * Throws if a member has reported in the complete exchange that it cannot continue.
   *
   * @param own the reason that this member has reported; null if none
   */
  void requireAgreed(@Nullable NoRoomException own) throws NoRoomException {
    if (own != null) {
      throw own;
    }
    Note[] all = notes();
    for (int i = 0; i < all.length; i++) {
      String reason = all[i].failure;
      if (reason != null) {
        throw NoRoomException.elsewhere(group[i], reason);
      }
    }
  }

  private void write(Note note) {
    notes.set(LONG, 0, note.first);
    notes.set(LONG, 8, note.second);
    if (note.failure == null) {
      notes.set(INT, 16, -1);
    } else {
      byte[] text = note.failure.getBytes(StandardCharsets.UTF_8);
      int length = Math.min(text.length, NOTE_BYTES - TEXT_AT);
      MemorySegment.copy(text, 0, notes, ValueLayout.JAVA_BYTE, TEXT_AT, length);
      notes.set(INT, 16, length);
    }
  }

  private Note read(long at) {
    int length = notes.get(INT, at + 16);
    String failure =
        length < 0
            ? null
            : StandardCharsets.UTF_8
                .decode(notes.asSlice(at + TEXT_AT, length).asByteBuffer())
                .toString();
    return new Note(notes.get(LONG, at), notes.get(LONG, at + 8), failure);
  }
}
