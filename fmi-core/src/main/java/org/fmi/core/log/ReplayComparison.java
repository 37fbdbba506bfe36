package org.fmi.core.log;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Compares replayed messages to one rank with the messages received there before: each by its own
 * checksum, or a whole block by the block's.
 */
final class ReplayComparison {
  private static final long[] NOTHING = {};

  /** Result of a comparison. */
  enum Difference {
    NONE,
    MESSAGE,
    /**
     * The message is the last of its block to be replayed, and one message of the block differs.
     */
    BLOCK
  }

  /** Pairs of each message's length and checksum, by number, as many as are stored. */
  private long[] own = NOTHING;

  /** See {@link BlockSums#all}. */
  private long[] blocks = NOTHING;

  /** Index of the block that is being replayed; {@link #sum} is its checksum so far. */
  private int block = -1;

  private long sum;

  /**
   * Begins a comparison.
   *
   * @param packed the number of longs of {@link #own}, these longs, and the blocks; may be empty
   * @param sent number of messages sent already, whose blocks cannot be compared
   */
  void begin(long[] packed, long sent) {
    int end = packed.length == 0 ? 0 : 1 + (int) packed[0];
    own = packed.length == 0 ? NOTHING : Arrays.copyOfRange(packed, 1, end);
    blocks = Arrays.copyOfRange(packed, end, packed.length);
    block = -1;
    for (int i = 0; i < blocks.length && blocks[i] < sent; i += 2) {
      blocks[i + 1] = BlockSums.NOT_COMPARED;
    }
  }

  /** The input of {@link #begin}, for the rank that sent the messages. */
  static long[] packed(long[] own, long[] blocks) {
    long[] packed = new long[1 + own.length + blocks.length];
    packed[0] = own.length;
    System.arraycopy(own, 0, packed, 1, own.length);
    System.arraycopy(blocks, 0, packed, 1 + own.length, blocks.length);
    return packed;
  }

  private boolean hasOwn(int number) {
    return 2L * number + 1 < own.length && own[2 * number] != ReceivedSums.NOT_STORED;
  }

  /** The length of the received message, where {@link Difference#MESSAGE} was returned. */
  long lengthBefore(int number) {
    return own[2 * number];
  }

  /**
   * Compares a replayed message.
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

  /** Drops the first messages, and renumbers the rest from 0. */
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
