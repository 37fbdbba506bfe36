package org.fmi.core.log;

import java.util.Arrays;

/**
 * Checksums over blocks of received messages of one rank, for messages that {@link ReceivedSums}
 * has no room for. A block has one checksum for up to {@link #MESSAGES} messages, which may arrive
 * in any order.
 *
 * <p>A new block begins at each recovery line, so no block has messages from both sides of it.
 */
final class BlockSums {
  /** Maximum number of messages per block. */
  static final int MESSAGES = 4096;

  /** Stands for the checksum of a block with a message that was not received whole. */
  static final long NOT_COMPARED = Long.MIN_VALUE;

  /** Pairs of the number of a block's first message, ascending, and the block's checksum. */
  private long[] blocks = {};

  private int count;

  /** Begins a new block at this message number; no message from there on has been added yet. */
  void begin(long number) {
    int block = blockOf(number);
    if (number > 0 && (block < 0 || blocks[2 * block] < number)) {
      insert(block + 1, number);
    }
  }

  /** Adds a received message. */
  void add(long number, long length, long sum) {
    int block = blockOf(number);
    long first = block < 0 ? 0 : blocks[2 * block];
    if (block < 0 || number - first >= MESSAGES) {
      block++;
      insert(block, first + (number - first) / MESSAGES * MESSAGES);
    }
    int at = 2 * block + 1;
    if (sum == SentTo.NO_SUM && length > 0) { // an empty message has this sum too
      blocks[at] = NOT_COMPARED;
    } else if (blocks[at] != NOT_COMPARED) {
      blocks[at] += mixed(number - blocks[at - 1], length, sum);
    }
  }

  /** A message's contribution to the checksum of its block. */
  static long mixed(long place, long length, long sum) {
    return MessageSum.mix(MessageSum.mix(MessageSum.mix(place) + length) + sum);
  }

  /** The last block that begins at or before this number; -1 if there is none. */
  private int blockOf(long number) {
    int block = count - 1; // messages arrive roughly in order
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

  /** Copies the pairs of first message number and checksum. */
  long[] all() {
    return Arrays.copyOf(blocks, 2 * count);
  }

  /** Drops the first messages, which end where a block begins, and renumbers the rest from 0. */
  void cut(long messages) {
    int before = messages == 0 ? 0 : blockOf(messages - 1) + 1;
    count -= before;
    System.arraycopy(blocks, 2 * before, blocks, 0, 2 * count);
    for (int block = 0; block < count; block++) {
      blocks[2 * block] -= messages;
      assert blocks[2 * block] >= 0 : "a block has messages from both sides of a recovery line";
    }
  }

  void clear() {
    count = 0;
  }
}
