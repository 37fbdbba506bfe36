package org.fmi.core.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.fmi.core.p2p.MessageRequest;

/**
 * The messages sent to one rank since the last recovery line, by number: part of the {@link
 * MessageLog}.
 */
final class SentTo {
  /** Stands for the checksum of a message whose data was not received whole. */
  static final long NO_SUM = 0;

  long count;

  /**
   * The number of messages sent before a recovery line that this rank has reached and that is not
   * committed.
   */
  long mark;

  /** Position of the first copy in the {@link LogMemory}; {@link #last} is that of the last one. */
  long first = LogMemory.NONE;

  long last = LogMemory.NONE;

  /** Position of the first copy after the mark. */
  long firstAfterMark = LogMemory.NONE;

  /** Messages that their receiver has, and that are not to be sent. */
  BitSet received = new BitSet();

  /** Compares received messages with the replayed ones; empty unless this rank replays. */
  final ReplayComparison comparison = new ReplayComparison();

  /** Synchronous sends that are still pending. */
  final List<MessageRequest> synchronous = new ArrayList<>();

  /** Whether the receiver has this message. */
  boolean isReceived(long number) {
    return number <= Integer.MAX_VALUE && received.get((int) number);
  }

  /** Compares a replayed message with the one received before. */
  void compare(
      int number, long length, long sum, LogListener listener, int dest, int context, long tag) {
    switch (comparison.compare(number, length, sum, received)) {
      case NONE -> {}
      case MESSAGE -> listener.differs(dest, context, tag, comparison.lengthBefore(number), length);
      case BLOCK -> listener.blockDiffers(BlockSums.MESSAGES, dest, context, tag);
    }
  }

  /**
   * Applies the receiver's {@link ReceivedFrom#report report}.
   *
   * @return how many more messages than before are received there and not replayed yet
   */
  int receivedByPeer(long[] report) {
    int end = 1 + (int) report[0];
    int unreplayed = countUnreplayed();
    received = BitSet.valueOf(Arrays.copyOfRange(report, 1, end));
    comparison.begin(Arrays.copyOfRange(report, end, report.length), count);
    return countUnreplayed() - unreplayed;
  }

  private int countUnreplayed() {
    int sent = (int) Math.min(count, Integer.MAX_VALUE);
    return received.cardinality() - received.get(0, sent).cardinality();
  }

  /** Forgets all messages, at a recovery line that all ranks have reached. */
  void clear() {
    first = LogMemory.NONE;
    last = LogMemory.NONE;
    firstAfterMark = LogMemory.NONE;
    count = 0;
    mark = 0;
    received.clear();
    comparison.clear();
    synchronous.clear();
  }

  /** Adds a message that was copied to the log. */
  void add(LogMemory memory, long position, boolean afterMark) {
    if (last == LogMemory.NONE) {
      first = position;
    } else {
      memory.follow(last, position);
    }
    last = position;
    if (afterMark && firstAfterMark == LogMemory.NONE) {
      firstAfterMark = position;
    }
  }

  /** Marks a recovery line, which this rank reaches. */
  void mark() {
    mark = count;
    firstAfterMark = LogMemory.NONE;
  }

  /** Drops the messages sent before the marked recovery line, which is committed. */
  void cut() {
    first = firstAfterMark;
    if (first == LogMemory.NONE) {
      last = LogMemory.NONE;
    }
    firstAfterMark = LogMemory.NONE;
    int end = received.length();
    received = received.get((int) Math.min(mark, end), end);
    comparison.cut(mark);
    for (MessageRequest r : synchronous) {
      // A message from before the recovery line is received by now, though the report may be under
      // way.
      TrackedMessage t = (TrackedMessage) Objects.requireNonNull(r.tracked());
      t.number = t.number < mark ? MessageLog.NO_NUMBER : (int) (t.number - mark);
    }
    synchronous.removeIf(r -> TrackedMessage.numberOf(r) == MessageLog.NO_NUMBER);
    count -= mark;
    mark = 0;
  }
}
