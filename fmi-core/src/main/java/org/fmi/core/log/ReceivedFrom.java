package org.fmi.core.log;

import java.util.BitSet;
import org.fmi.core.p2p.NativePieces;
import org.jspecify.annotations.Nullable;

/** What has come of one rank since the last line, by number: a part of the {@link MessageLog}. */
final class ReceivedFrom {
  private static final long NOT_YET = -1;

  final BitSet received = new BitSet();

  private final ReceivedSums sums;
  private final BlockSums blocks = new BlockSums();

  /** From this number on they have none. */
  private final int most;

  /** What had come when this epoch began; null if it began at a line. */
  private @Nullable BitSet before;

  /** The number of the next message that is announced. */
  private long next;

  /** The first message that was sent behind the next line, of those announced. */
  private long firstBehind = NOT_YET;

  /** How many of the messages were sent before the line that is to be committed. */
  private long cut;

  /**
   * @param most messages that are numbered
   */
  ReceivedFrom(NativePieces room, int most) {
    this.most = most;
    sums = new ReceivedSums(room);
  }

  /**
   * Which have come, for the rank that has sent them: the number of longs of a set of bits, those,
   * and what {@link MadeAgain} takes.
   */
  long[] told(boolean withSums) {
    long[] bits = received.toLongArray();
    long[] kept =
        withSums ? MadeAgain.told(sums.first(received.length()), blocks.all()) : new long[0];
    long[] told = new long[1 + bits.length + kept.length];
    told[0] = bits.length;
    System.arraycopy(bits, 0, told, 1, bits.length);
    System.arraycopy(kept, 0, told, 1 + bits.length, kept.length);
    return told;
  }

  void receive(int number, long length, long sum) {
    assert !received.get(number) : "a message is received twice";
    received.set(number);
    if (!sums.put(number, length, sum)) {
      blocks.add(number, length, sum);
    }
  }

  /** A line at which all ranks stand. */
  void clear() {
    received.clear();
    sums.clear();
    blocks.clear();
    before = null;
    next = 0;
    dropLine();
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

  // ---- a line that each rank comes to at a time of its own

  /** What is announced next was sent behind that line, as is all that follows. */
  void behindLine() {
    if (firstBehind == NOT_YET) {
      firstBehind = next;
      blocks.begin(next);
    }
  }

  /** How many of the messages announced, or come before, were sent before the line. */
  long beforeLine() {
    return firstBehind == NOT_YET ? next : firstBehind;
  }

  /** All of those that were sent before the line are here. */
  void fixLine() {
    cut = beforeLine();
    blocks.begin(cut);
    firstBehind = NOT_YET;
  }

  /** There will be no such line. */
  void dropLine() {
    firstBehind = NOT_YET;
    cut = 0;
  }

  /** By its number, a message from behind the line that is to be committed has another then. */
  int renumbered(int number) {
    return number < cut ? MessageLog.NO_NUMBER : (int) (number - cut);
  }

  /** The line is committed. */
  void cut() {
    shift(received);
    if (before != null) {
      shift(before);
    }
    sums.cut((int) Math.min(cut, most));
    blocks.cut(cut);
    next -= cut;
    if (firstBehind != NOT_YET) {
      firstBehind -= cut;
    }
    cut = 0;
  }

  private void shift(BitSet numbers) {
    int end = numbers.length();
    BitSet behind = numbers.get((int) Math.min(cut, end), end);
    numbers.clear();
    numbers.or(behind);
  }
}
