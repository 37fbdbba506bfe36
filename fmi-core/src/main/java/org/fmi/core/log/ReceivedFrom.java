package org.fmi.core.log;

import java.util.BitSet;
import org.fmi.core.p2p.NativePieces;
import org.jspecify.annotations.Nullable;

/**
 * The messages received from one rank since the last recovery line, by number: part of the {@link
 * MessageLog}.
 */
final class ReceivedFrom {
  private static final long NOT_YET = -1;

  final BitSet received = new BitSet();

  private final ReceivedSums sums;
  private final BlockSums blocks = new BlockSums();

  /** Messages from this number on are not numbered. */
  private final int most;

  /** Messages received before this epoch began; null if it began at a recovery line. */
  private @Nullable BitSet before;

  /** The number of the next announced message. */
  private long next;

  /** The number of the first announced message that was sent after the next recovery line. */
  private long firstAfterLine = NOT_YET;

  /** The number of messages sent before the recovery line that is about to be committed. */
  private long cut;

  /**
   * @param most maximum number of messages that are numbered
   */
  ReceivedFrom(NativePieces room, int most) {
    this.most = most;
    sums = new ReceivedSums(room);
  }

  /**
   * A report of the received messages for their sender: the length of a bit set, the bit set, and
   * the input of {@link ReplayComparison}.
   */
  long[] report(boolean withSums) {
    long[] bits = received.toLongArray();
    long[] checksums =
        withSums
            ? ReplayComparison.packed(sums.first(received.length()), blocks.all())
            : new long[0];
    long[] report = new long[1 + bits.length + checksums.length];
    report[0] = bits.length;
    System.arraycopy(bits, 0, report, 1, bits.length);
    System.arraycopy(checksums, 0, report, 1 + bits.length, checksums.length);
    return report;
  }

  void receive(int number, long length, long sum) {
    assert !received.get(number) : "a message is received twice";
    received.set(number);
    if (!sums.put(number, length, sum)) {
      blocks.add(number, length, sum);
    }
  }

  /** Forgets all messages, at a recovery line that all ranks have reached. */
  void clear() {
    received.clear();
    sums.clear();
    blocks.clear();
    before = null;
    next = 0;
    abandonLine();
  }

  void enterEpoch() {
    before = (BitSet) received.clone();
    next = before.nextClearBit(0);
  }

  int take() {
    long number = next++;
    if (before != null && next < most) {
      next = before.nextClearBit((int) next);
    }
    return number < most ? (int) number : MessageLog.UNCOUNTED;
  }

  // ---- an asynchronous recovery line

  /** The next announced message was sent after the recovery line, as are all that follow it. */
  void sentAfterLine() {
    if (firstAfterLine == NOT_YET) {
      firstAfterLine = next;
      blocks.begin(next);
    }
  }

  /**
   * The number of messages, announced or received in an earlier epoch, that were sent before the
   * recovery line.
   */
  long countBeforeLine() {
    return firstAfterLine == NOT_YET ? next : firstAfterLine;
  }

  /** All messages sent before the recovery line are here. */
  void completeLine() {
    cut = countBeforeLine();
    blocks.begin(cut);
    firstAfterLine = NOT_YET;
  }

  /** The complete recovery line is not committed; messages may be from after the next one. */
  void skipLine() {
    cut = 0;
  }

  /** Forgets recovery lines that are not committed. */
  void abandonLine() {
    firstAfterLine = NOT_YET;
    cut = 0;
  }

  /** The number that a message will have once the recovery line is committed. */
  int renumbered(int number) {
    return number < cut ? MessageLog.NO_NUMBER : (int) (number - cut);
  }

  /** Renumbers messages from the recovery line on, which is committed. */
  void cut() {
    shift(received);
    if (before != null) {
      shift(before);
    }
    sums.cut((int) Math.min(cut, most));
    blocks.cut(cut);
    next -= cut;
    if (firstAfterLine != NOT_YET) {
      firstAfterLine -= cut;
    }
    cut = 0;
  }

  private void shift(BitSet numbers) {
    int end = numbers.length();
    BitSet rest = numbers.get((int) Math.min(cut, end), end);
    numbers.clear();
    numbers.or(rest);
  }
}
