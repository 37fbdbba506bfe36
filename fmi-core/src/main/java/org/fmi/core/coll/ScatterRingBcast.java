package org.fmi.core.coll;

/**
 * Broadcast by scatter and ring allgather (van de Geijn): about twice the message's bytes through
 * each rank, however many there are. For long messages.
 */
final class ScatterRingBcast {
  /** Blocks are cut at whole elements of any type: ranks may use different ones. */
  private static final long UNIT = 8;

  private ScatterRingBcast() {}

  static void run(Channel channel, Region data, long bytes, int root) {
    int size = channel.size();
    long[] starts = new long[size + 1];
    long block = Math.ceilDiv(Math.ceilDiv(bytes, size), UNIT) * UNIT;
    for (int i = 0; i <= size; i++) {
      starts[i] = Math.min(i * block, bytes);
    }
    int v = channel.neighbour(-root);
    scatter(channel, data, starts, v);
    RingAllGather.run(channel, data, starts, v, Kind.BCAST);
  }

  /** A binomial tree whose node v receives the blocks of all its subtree, v to v + mask - 1. */
  private static void scatter(Channel channel, Region data, long[] starts, int v) {
    int size = channel.size();
    int mask = 1;
    while (mask < size && (v & mask) == 0) {
      mask <<= 1;
    }
    if (v != 0) {
      long bytes = starts[Math.min(v + mask, size)] - starts[v];
      channel.recv(data.plus(starts[v]), bytes, channel.neighbour(-mask), Kind.BCAST);
    }
    for (mask >>= 1; mask > 0; mask >>= 1) {
      int child = v + mask;
      if (child < size) {
        long bytes = starts[Math.min(child + mask, size)] - starts[child];
        channel.send(data.plus(starts[child]), bytes, channel.neighbour(mask), Kind.BCAST);
      }
    }
  }
}
