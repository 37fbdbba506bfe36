package org.fmi.core.coll;

/** Gather of equal blocks up a binomial tree: ceil(log2 N) steps at the root. For short blocks. */
final class BinomialGather {
  private BinomialGather() {}

  /**
   * Gathers.
   *
   * @param mine this rank's block
   * @param all the destination of all blocks; used at the root only
   */
  static void run(Channel channel, Location mine, long bytes, Location all, int root) {
    int size = channel.size();
    int v = channel.neighbour(-root);
    int blocks = Math.min(v == 0 ? size : Integer.lowestOneBit(v), size - v);
    // With root 0, the tree delivers all blocks in their final order.
    Location found = blocks == 1 ? mine : v == 0 && root == 0 ? all : mine.scratch(blocks * bytes);
    if (found != mine) {
      mine.copyTo(found, bytes);
    }
    for (int mask = 1; mask < blocks; mask <<= 1) {
      long part = Math.min(mask, blocks - mask) * bytes;
      channel.recv(found.plus(mask * bytes), part, channel.neighbour(mask));
    }
    if (v != 0) {
      channel.send(found, blocks * bytes, channel.neighbour(-(v & -v)));
    } else if (found != all) {
      found.copyTo(all.plus(root * bytes), (size - root) * bytes);
      found.plus((size - root) * bytes).copyTo(all, root * bytes);
    }
  }
}
