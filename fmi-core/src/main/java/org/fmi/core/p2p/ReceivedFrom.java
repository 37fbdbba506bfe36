package org.fmi.core.p2p;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** What has come of one rank since the last line, by number: a part of the {@link MessageLog}. */
final class ReceivedFrom {
  private static final int NOT_YET = -1;

  final BitSet come = new BitSet();

  private final ComeSums sums;

  /** What had come when this epoch began; null if it began at a line. */
  private @Nullable BitSet before;

  /** The number of the next message that is announced. */
  private int next;

  /** The first message that was sent behind the next line, of those announced. */
  private int firstBehind = NOT_YET;

  /** How many of the messages were sent before the line that is to be committed. */
  private int cut;

  ReceivedFrom(LogPieces room) {
    sums = new ComeSums(room);
  }

  /** Length and sum of each message up to the last that has come, in turns, as far as kept. */
  long[] sums() {
    return sums.first(come.length());
  }

  void comes(int number, long length, long sum) {
    assert !come.get(number) : "a message is received twice";
    come.set(number);
    sums.put(number, length, sum);
  }

  /** A line at which all ranks stand. */
  void clear() {
    come.clear();
    sums.clear();
    before = null;
    next = 0;
    dropLine();
  }

  void enterEpoch() {
    before = (BitSet) come.clone();
    next = before.nextClearBit(0);
  }

  int take() {
    int number = next++;
    if (before != null) {
      next = before.nextClearBit(next);
    }
    return number;
  }

  // ---- a line that each rank comes to at a time of its own

  /** What is announced next was sent behind that line, as is all that follows. */
  void behindLine() {
    if (firstBehind == NOT_YET) {
      firstBehind = next;
    }
  }

  /** How many of the messages announced, or come before, were sent before the line. */
  int beforeLine() {
    return firstBehind == NOT_YET ? next : firstBehind;
  }

  /** All of those that were sent before the line are here. */
  void fixLine() {
    cut = beforeLine();
    firstBehind = NOT_YET;
  }

  /** There will be no such line. */
  void dropLine() {
    firstBehind = NOT_YET;
    cut = 0;
  }

  /** By its number, a message from behind the line that is to be committed has another then. */
  int renumbered(int number) {
    return number < cut ? MessageLog.NO_NUMBER : number - cut;
  }

  /** The line is committed. */
  void cut() {
    shift(come);
    if (before != null) {
      shift(before);
    }
    sums.cut(cut);
    next -= cut;
    if (firstBehind != NOT_YET) {
      firstBehind -= cut;
    }
    cut = 0;
  }

  private void shift(BitSet numbers) {
    BitSet behind = numbers.get(cut, Math.max(cut, numbers.length()));
    numbers.clear();
    numbers.or(behind);
  }
}
