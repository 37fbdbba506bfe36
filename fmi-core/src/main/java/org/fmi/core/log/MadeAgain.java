package org.fmi.core.log;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Compares messages to one rank that are made again with those that have come there: each with the
 * sum of its own, or all of a block with the block's.
 */
final class MadeAgain {
  private static final long[] NOTHING = {};

  /** How a message differs. */
  enum Difference {
    NONE,
    MESSAGE,
    /** It is the last of its block that is made again, and one of them is another one. */
    BLOCK
  }

  /** Length and sum of each message by number, in turns, as far as they are kept. */
  private long[] own = NOTHING;

  /** See {@link BlockSums#all}. */
  private long[] blocks = NOTHING;

  /** The block that messages are made again of, by its place, and their sum so far. */
  private int block = -1;

  private long sum;

  /**
   * Begins.
   *
   * @param told the number of those longs, those, and the blocks; may be empty
   * @param made how many messages have been made already: their blocks cannot be compared
   */
  void begin(long[] told, long made) {
    int end = told.length == 0 ? 0 : 1 + (int) told[0];
    own = told.length == 0 ? NOTHING : Arrays.copyOfRange(told, 1, end);
    blocks = Arrays.copyOfRange(told, end, told.length);
    block = -1;
    for (int i = 0; i < blocks.length && blocks[i] < made; i += 2) {
      blocks[i + 1] = BlockSums.NOT_COMPARED;
    }
  }

  /** What a rank is told that sends the messages: as {@link #begin} takes it. */
  static long[] told(long[] own, long[] blocks) {
    long[] told = new long[1 + own.length + blocks.length];
    told[0] = own.length;
    System.arraycopy(own, 0, told, 1, own.length);
    System.arraycopy(blocks, 0, told, 1 + own.length, blocks.length);
    return told;
  }

  private boolean hasOwn(int number) {
    return 2L * number + 1 < own.length && own[2 * number] != ReceivedSums.NOT_KEPT;
  }

  /** The length of a message that has come, where that is {@link Difference#MESSAGE another}. */
  long lengthBefore(int number) {
    return own[2 * number];
  }

  /**
   * A message is made again.
   *
   * @param received the messages that were received
   */
  Difference compare(int number, long length, long messageSum, BitSet received) {
    if (hasOwn(number)) {
      long before = own[2 * number + 1];
      return own[2 * number] != length || (before != SentTo.NO_SUM && before != messageSum)
          ? Difference.MESSAGE
          : Difference.NONE;
    }
    int at = block;
    while (2 * (at + 1) < blocks.length && blocks[2 * (at + 1)] <= number) {
      at++;
    }
    if (at < 0 || blocks[2 * at + 1] == BlockSums.NOT_COMPARED) {
      return Difference.NONE;
    }
    sum = at == block ? sum : 0;
    block = at;
    sum += BlockSums.mixed(number - blocks[2 * at], length, messageSum);
    return sum != blocks[2 * at + 1] && isLast(number, at, received)
        ? Difference.BLOCK
        : Difference.NONE;
  }

  private boolean isLast(int number, int at, BitSet received) {
    long end = blocks[2 * at] + BlockSums.MESSAGES;
    if (2 * (at + 1) < blocks.length) {
      end = Math.min(end, blocks[2 * (at + 1)]);
    }
    int next = number;
    do {
      next = received.nextSetBit(next + 1);
    } while (next >= 0 && next < end && hasOwn(next));
    return next < 0 || next >= end;
  }

  /** Forgets the first messages, and numbers the others from there. */
  void cut(long messages) {
    own = Arrays.copyOfRange(own, (int) Math.min(2 * messages, own.length), own.length);
    for (int i = 0; i < blocks.length; i += 2) {
      blocks[i] -= messages;
    }
  }

  void clear() {
    own = NOTHING;
    blocks = NOTHING;
    block = -1;
  }
}
