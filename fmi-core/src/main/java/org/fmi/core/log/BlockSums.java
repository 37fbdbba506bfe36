package org.fmi.core.log;

import java.util.Arrays;

/**
 * Sums over blocks of messages of one rank, of those that have come and that {@link ReceivedSums}
 * has no room for: one sum for up to {@link #MESSAGES} of them, in whatever order they come.
 *
 * <p>Another block begins at each line, so that none has messages of both sides of it.
 */
final class BlockSums {
  /** Messages of a block, at most. */
  static final int MESSAGES = 4096;

  /** In place of the sum of a block of which a message has not come whole. */
  static final long NOT_COMPARED = Long.MIN_VALUE;

  /** By block, the number of its first message, ascending, and the sum. */
  private long[] blocks = {};

  private int count;

  /** Messages from this number on are in another block than those before; none of them is here. */
  void begin(long number) {
    int block = blockOf(number);
    if (number > 0 && (block < 0 || blocks[2 * block] < number)) {
      insert(block + 1, number);
    }
  }

  /** A message has come. */
  void add(long number, long length, long sum) {
    int block = blockOf(number);
    long first = block < 0 ? 0 : blocks[2 * block];
    if (block < 0 || number - first >= MESSAGES) {
      block++;
      insert(block, first + (number - first) / MESSAGES * MESSAGES);
    }
    int at = 2 * block + 1;
    if (sum == SentTo.NO_SUM && length > 0) { // that of an empty one is the same
      blocks[at] = NOT_COMPARED;
    } else if (blocks[at] != NOT_COMPARED) {
      blocks[at] += mixed(number - blocks[at - 1], length, sum);
    }
  }

  /** What a message adds to the sum of its block. */
  static long mixed(long place, long length, long sum) {
    return MessageSum.mix(MessageSum.mix(MessageSum.mix(place) + length) + sum);
  }

  /** The last block that begins at this number or before; -1 if there is none. */
  private int blockOf(long number) {
    int block = count - 1; // messages come about in order
    while (block >= 0 && blocks[2 * block] > number) {
      block--;
    }
    return block;
  }

  private void insert(int block, long first) {
    if (2 * count == blocks.length) {
      blocks = Arrays.copyOf(blocks, Math.max(16, 2 * blocks.length));
    }
    System.arraycopy(blocks, 2 * block, blocks, 2 * block + 2, 2 * (count - block));
    blocks[2 * block] = first;
    blocks[2 * block + 1] = 0;
    count++;
  }

  /** By block, the number of its first message and the sum, in turns. */
  long[] all() {
    return Arrays.copyOf(blocks, 2 * count);
  }

  /** Forgets the first messages, where a block begins behind them; numbers count from there. */
  void cut(long messages) {
    int before = messages == 0 ? 0 : blockOf(messages - 1) + 1;
    count -= before;
    System.arraycopy(blocks, 2 * before, blocks, 0, 2 * count);
    for (int block = 0; block < count; block++) {
      blocks[2 * block] -= messages;
      assert blocks[2 * block] >= 0 : "a block has messages of both sides of a line";
    }
  }

  void clear() {
    count = 0;
  }
}
