package org.fmi.core.coll;

/** Broadcast down a binomial tree: ceil(log2 N) steps of the whole message. For short ones. */
final class BinomialBcast {
  private BinomialBcast() {}

  static void run(Channel channel, Location data, long bytes, int root) {
    int size = channel.size();
    int v = channel.neighbour(-root); // the tree's root is 0
    int mask = 1;
    while (mask < size && (v & mask) == 0) {
      mask <<= 1;
    }
    if (v != 0) {
      channel.recv(data, bytes, channel.neighbour(-mask));
    }
    for (mask >>= 1; mask > 0; mask >>= 1) {
      if (v + mask < size) {
        channel.send(data, bytes, channel.neighbour(mask));
      }
    }
  }
}
