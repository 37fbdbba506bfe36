package org.fmi.core.coll;

/** Scatter of equal blocks down a binomial tree: ceil(log2 N) steps. For short blocks. */
final class BinomialScatter {
  private BinomialScatter() {}

  /**
   * Scatters.
   *
   * @param all the root's blocks; at other ranks not used
   * @param mine where this rank's block goes
   */
  static void run(Channel channel, Region all, Region mine, long bytes, int root) {
    int size = channel.size();
    int v = channel.neighbour(-root);
    int blocks = Math.min(v == 0 ? size : Integer.lowestOneBit(v), size - v);
    Region held;
    if (v != 0) {
      held = blocks == 1 ? mine : mine.scratch(blocks * bytes);
      channel.recv(held, blocks * bytes, channel.neighbour(-(v & -v)), Kind.SCATTER);
    } else if (root == 0) {
      held = all;
    } else {
      held = all.scratch(size * bytes);
      all.plus(root * bytes).copyTo(held, (size - root) * bytes);
      all.copyTo(held.plus((size - root) * bytes), root * bytes);
    }
    for (int mask = Integer.highestOneBit(Math.max(blocks - 1, 0)); mask > 0; mask >>= 1) {
      long part = Math.min(mask, blocks - mask) * bytes;
      channel.send(held.plus(mask * bytes), part, channel.neighbour(mask), Kind.SCATTER);
    }
    if (held != mine) {
      held.copyTo(mine, bytes);
    }
  }
}
