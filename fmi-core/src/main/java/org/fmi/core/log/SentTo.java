package org.fmi.core.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.fmi.core.p2p.MessageRequest;

/** What was sent to one rank since the last line, by number: a part of the {@link MessageLog}. */
final class SentTo {
  /** In place of the sum of a message whose data did not come, or not all. */
  static final long NO_SUM = 0;

  long count;

  /** How many there were when this rank came to a line that is not committed. */
  long mark;

  /** Where copies of them are in the {@link LogMemory}: the first one, and the last. */
  long first = LogMemory.NONE;

  long last = LogMemory.NONE;

  /** The first one behind the mark. */
  long firstBehind = LogMemory.NONE;

  /** Messages that have come there, and are not to be sent. */
  BitSet received = new BitSet();

  /** Compares those with what is made again; of a rank that is not behind none. */
  final MadeAgain before = new MadeAgain();

  /** Synchronous sends that are not complete. */
  final List<MessageRequest> synchronous = new ArrayList<>();

  /** Whether a message was received there. */
  boolean isReceived(long number) {
    return number <= Integer.MAX_VALUE && received.get((int) number);
  }

  /** Compares a message that has come with the one that is made again. */
  void compare(
      int number, long length, long sum, LogListener listener, int dest, int context, long tag) {
    switch (before.compare(number, length, sum, received)) {
      case NONE -> {}
      case MESSAGE -> listener.differs(dest, context, tag, before.lengthBefore(number), length);
      case BLOCK -> listener.differsAmong(BlockSums.MESSAGES, dest, context, tag);
    }
  }

  /**
   * Takes what {@link ReceivedFrom#told} is there.
   *
   * @return how many more of those messages are not made again yet than before
   */
  int receivedThere(long[] told) {
    int end = 1 + (int) told[0];
    int notMade = notMade();
    received = BitSet.valueOf(Arrays.copyOfRange(told, 1, end));
    before.begin(Arrays.copyOfRange(told, end, told.length), count);
    return notMade() - notMade;
  }

  private int notMade() {
    int made = (int) Math.min(count, Integer.MAX_VALUE);
    return received.cardinality() - received.get(0, made).cardinality();
  }

  /** A line at which all ranks stand. */
  void clear() {
    first = LogMemory.NONE;
    last = LogMemory.NONE;
    firstBehind = LogMemory.NONE;
    count = 0;
    mark = 0;
    received.clear();
    before.clear();
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
    int end = received.length();
    received = received.get((int) Math.min(mark, end), end);
    before.cut(mark);
    for (MessageRequest r : synchronous) {
      // One from before the line is there by now, but this rank may not have heard so.
      TrackedMessage t = (TrackedMessage) Objects.requireNonNull(r.tracked());
      t.number = t.number < mark ? MessageLog.NO_NUMBER : (int) (t.number - mark);
    }
    synchronous.removeIf(r -> TrackedMessage.numberOf(r) == MessageLog.NO_NUMBER);
    count -= mark;
    mark = 0;
  }
}
