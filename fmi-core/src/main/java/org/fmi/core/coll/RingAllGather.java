package org.fmi.core.coll;

/**
 * Allgather round a ring: in N-1 steps each rank forwards the block that it received last. Each
 * byte passes each rank once. For long blocks, and blocks of different lengths.
 */
final class RingAllGather {
  private RingAllGather() {}

  /** Gathers adjacent blocks: block i begins at {@code starts[i]} and ends at the next start. */
  static void run(Channel channel, Location data, long[] starts, int mine) {
    int size = channel.size();
    long[] lengths = new long[size];
    for (int i = 0; i < size; i++) {
      lengths[i] = starts[i + 1] - starts[i];
    }
    run(channel, data, starts, lengths, mine);
  }

  /**
   * Gathers blocks anywhere in {@code data}, with starts and lengths in bytes.
   *
   * @param mine this rank's block; its right neighbour has the next one
   */
  static void run(Channel channel, Location data, long[] starts, long[] lengths, int mine) {
    run(channel, data, starts, lengths, mine, lengths[mine]);
  }

  /**
   * Gathers blocks anywhere in {@code data}, with starts and greatest lengths in bytes.
   *
   * @param mine this rank's block; its right neighbour has the next one
   * @param bytes the length of this rank's block
   */
  static void run(
      Channel channel, Location data, long[] starts, long[] lengths, int mine, long bytes) {
    int size = channel.size();
    int right = channel.neighbour(1);
    int left = channel.neighbour(-1);
    int out = mine;
    long outBytes = bytes;
    for (int step = 1; step < size; step++) {
      int in = Math.floorMod(out - 1, size);
      outBytes =
          channel.exchange(
              data.plus(starts[out]), outBytes, right, data.plus(starts[in]), lengths[in], left);
      out = in;
    }
  }
}
