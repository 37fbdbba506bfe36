package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Objects;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;
import org.jspecify.annotations.Nullable;

/**
 * Tells all members of a group a short note of each, in ceil(log2 n) rounds: in round k every
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

  /** How many marks a note has room for. */
  static final int MARKS = (NOTE_BYTES - MARKS_AT) * Byte.SIZE;

  /**
   * What one member tells.
   *
   * @param failure why it cannot go on, null if it can; cut where it is too long for a note
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

  /** Notes here, while an exchange is under way. */
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
   * Collective over the group.
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
   * Begins an exchange of notes, and of some marks beside them.
   *
   * @param marks less than {@link #MARKS}; not sent by a member that cannot go on
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

  /** The marks of all members together, of an exchange in which nobody has failed. */
  BitSet marks() {
    BitSet all = new BitSet();
    for (long at = 0; at < notes.byteSize(); at += NOTE_BYTES) {
      all.or(BitSet.valueOf(notes.asSlice(at + MARKS_AT, NOTE_BYTES - MARKS_AT).asByteBuffer()));
    }
    return all;
  }

  /** What an exchange has brought, by index in the group. */
  Note[] notes() {
    int members = group.length;
    Note[] all = new Note[members];
    for (int i = 0; i < members; i++) {
      all[(me + i) % members] = read((long) i * NOTE_BYTES);
    }
    return all;
  }

  /**
   * Goes on only if all members can; collective over the group.
   *
   * @param failure why this member cannot go on, or null
   * @throws IOException on all members if one cannot; names it and says why
   */
  void agree(@Nullable IOException failure) throws IOException {
    exchange(note(failure));
    requireAgreed(failure);
  }

  /** Says why this member cannot go on, if so. */
  static Note note(@Nullable IOException failure) {
    return new Note(0, 0, text(failure));
  }

  static @Nullable String text(@Nullable IOException failure) {
    return failure == null ? null : String.valueOf(failure.getMessage());
  }

  /** Throws if a member has said in the exchange that is complete that it cannot go on. */
  void requireAgreed(@Nullable IOException failure) throws IOException {
    Note[] all = notes();
    for (int i = 0; i < all.length; i++) {
      String reason = all[i].failure;
      if (reason != null) {
        throw new IOException("rank " + group[i] + ": " + reason, failure);
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
