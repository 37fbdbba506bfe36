package org.fmi.core.coll;

/**
 * Broadcast by scatter and ring allgather (van de Geijn): about twice the message's bytes through
 * each rank, for any number of ranks. For long messages.
 */
final class ScatterRingBcast {
  /** Blocks are cut at whole elements of any type, as the ranks' types may differ. */
  private static final long UNIT = 8;

  private ScatterRingBcast() {}

  static void run(Channel channel, Location data, long bytes, int root) {
    int size = channel.size();
    long[] starts = new long[size + 1];
    long block = Math.ceilDiv(Math.ceilDiv(bytes, size), UNIT) * UNIT;
    for (int i = 0; i <= size; i++) {
      starts[i] = Math.min(i * block, bytes);
    }
    int v = channel.neighbour(-root);
    scatter(channel, data, starts, v);
    gather(channel, data, starts, v);
  }

  /** A ring allgather that is not closed: node 0 has all blocks, and nothing is written there. */
  private static void gather(Channel channel, Location data, long[] starts, int v) {
    int size = channel.size();
    int right = channel.neighbour(1);
    int left = channel.neighbour(-1);
    for (int step = 0; step < size - 1; step++) {
      int out = Math.floorMod(v - step, size);
      int in = Math.floorMod(out - 1, size);
      Location sent = data.plus(starts[out]);
      Location received = data.plus(starts[in]);
      long bytesSent = starts[out + 1] - starts[out];
      long bytesReceived = starts[in + 1] - starts[in];
      if (v == 0) {
        channel.send(sent, bytesSent, right);
      } else if (v == size - 1) {
        channel.recv(received, bytesReceived, left);
      } else {
        channel.exchange(sent, bytesSent, right, received, bytesReceived, left);
      }
    }
  }

  /** A binomial scatter whose node v receives the blocks of its subtree, v to v + mask - 1. */
  private static void scatter(Channel channel, Location data, long[] starts, int v) {
    int size = channel.size();
    int mask = 1;
    while (mask < size && (v & mask) == 0) {
      mask <<= 1;
    }
    if (v != 0) {
      long bytes = starts[Math.min(v + mask, size)] - starts[v];
      channel.recv(data.plus(starts[v]), bytes, channel.neighbour(-mask));
    }
    for (mask >>= 1; mask > 0; mask >>= 1) {
      int child = v + mask;
      if (child < size) {
        long bytes = starts[Math.min(child + mask, size)] - starts[child];
        channel.send(data.plus(starts[child]), bytes, channel.neighbour(mask));
      }
    }
  }
}
