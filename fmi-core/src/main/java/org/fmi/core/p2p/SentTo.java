package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** What was sent to one rank since the last line, by number: a part of the {@link MessageLog}. */
final class SentTo {
  /** In place of the sum of a message whose data did not come, or not all. */
  static final long NO_SUM = 0;

  private static final int FIRST_ENTRIES = 16;
  private static final long[] NOTHING = {};

  int count;

  /** How many there were when this rank came to a line that is not committed. */
  int mark;

  int[] contexts = new int[FIRST_ENTRIES];
  long[] tags = new long[FIRST_ENTRIES];
  MemorySegment[] pieces = new MemorySegment[FIRST_ENTRIES];
  long[] offsets = new long[FIRST_ENTRIES];
  long[] lengths = new long[FIRST_ENTRIES];

  /** Messages that have come there, and are not to be sent. */
  BitSet come = new BitSet();

  /** Length and sum of each of them, in turns, as they came; of a rank that is not behind none. */
  long[] before = NOTHING;

  /** Synchronous sends that are not complete. */
  final List<MessageRequest> synchronous = new ArrayList<>();

  /** Whether a message that came is another one now. */
  boolean differs(int number, long length, long sum) {
    if (2 * number + 1 >= before.length) {
      return false;
    }
    long sumBefore = before[2 * number + 1];
    return before[2 * number] != length || (sumBefore != NO_SUM && sumBefore != sum);
  }

  /** A line at which all ranks stand: keeps the room for what is to come. */
  void clear() {
    Arrays.fill(pieces, 0, Math.min(count, pieces.length), null);
    count = 0;
    mark = 0;
    come.clear();
    before = NOTHING;
    synchronous.clear();
  }

  void add(int context, long tag, MemorySegment piece, long offset, long bytes) {
    if (count >= contexts.length) {
      int more = 2 * count;
      contexts = Arrays.copyOf(contexts, more);
      tags = Arrays.copyOf(tags, more);
      pieces = Arrays.copyOf(pieces, more);
      offsets = Arrays.copyOf(offsets, more);
      lengths = Arrays.copyOf(lengths, more);
    }
    contexts[count] = context;
    tags[count] = tag;
    pieces[count] = piece;
    offsets[count] = offset;
    lengths[count] = bytes;
  }

  /** The line that was marked is committed: what was sent before it is forgotten. */
  void cut() {
    int left = Math.max(0, Math.min(count, contexts.length) - mark);
    int from = Math.min(mark, contexts.length);
    System.arraycopy(contexts, from, contexts, 0, left);
    System.arraycopy(tags, from, tags, 0, left);
    System.arraycopy(pieces, from, pieces, 0, left);
    System.arraycopy(offsets, from, offsets, 0, left);
    System.arraycopy(lengths, from, lengths, 0, left);
    Arrays.fill(pieces, left, pieces.length, null);
    come = come.get(mark, Math.max(mark, come.length()));
    before = Arrays.copyOfRange(before, Math.min(2 * mark, before.length), before.length);
    for (MessageRequest r : synchronous) {
      assert r.number >= mark : "a synchronous send was under way between two iterations";
      r.number -= mark;
    }
    count -= mark;
    mark = 0;
  }
}
