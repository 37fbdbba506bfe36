package org.fmi.core.p2p;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** What was sent to one rank since the last line, by number: a part of the {@link MessageLog}. */
final class SentTo {
  /** In place of the sum of a message whose data did not come, or not all. */
  static final long NO_SUM = 0;

  private static final long[] NOTHING = {};

  int count;

  /** How many there were when this rank came to a line that is not committed. */
  int mark;

  /** Where copies of them are in the {@link LogMemory}: the first one, and the last. */
  long first = LogMemory.NONE;

  long last = LogMemory.NONE;

  /** The first one behind the mark. */
  long firstBehind = LogMemory.NONE;

  /** Messages that have come there, and are not to be sent. */
  BitSet come = new BitSet();

  /** Length and sum of each of them, in turns, as they came; of a rank that is not behind none. */
  long[] before = NOTHING;

  /** Synchronous sends that are not complete. */
  final List<MessageRequest> synchronous = new ArrayList<>();

  /** Whether a message that came is another one now. */
  boolean differs(int number, long length, long sum) {
    if (2 * number + 1 >= before.length || before[2 * number] == ComeSums.NOT_KEPT) {
      return false;
    }
    long sumBefore = before[2 * number + 1];
    return before[2 * number] != length || (sumBefore != NO_SUM && sumBefore != sum);
  }

  /** A line at which all ranks stand. */
  void clear() {
    first = LogMemory.NONE;
    last = LogMemory.NONE;
    firstBehind = LogMemory.NONE;
    count = 0;
    mark = 0;
    come.clear();
    before = NOTHING;
    synchronous.clear();
  }

  /** A message was copied there. */
  void add(LogMemory memory, long position, boolean behind) {
    if (last == LogMemory.NONE) {
      first = position;
    } else {
      memory.follow(last, position);
    }
    last = position;
    if (behind && firstBehind == LogMemory.NONE) {
      firstBehind = position;
    }
  }

  /** This rank comes to a line. */
  void mark() {
    mark = count;
    firstBehind = LogMemory.NONE;
  }

  /** The line that was marked is committed: what was sent before it is forgotten. */
  void cut() {
    first = firstBehind;
    if (first == LogMemory.NONE) {
      last = LogMemory.NONE;
    }
    firstBehind = LogMemory.NONE;
    come = come.get(mark, Math.max(mark, come.length()));
    before = Arrays.copyOfRange(before, Math.min(2 * mark, before.length), before.length);
    for (MessageRequest r : synchronous) {
      // One from before the line is there by now, but this rank may not have heard so.
      r.number = r.number < mark ? MessageLog.NO_NUMBER : r.number - mark;
    }
    synchronous.removeIf(r -> r.number == MessageLog.NO_NUMBER);
    count -= mark;
    mark = 0;
  }
}
