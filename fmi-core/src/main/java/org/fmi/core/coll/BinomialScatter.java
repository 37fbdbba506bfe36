package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/** Scatter of equal blocks down a binomial tree: ceil(log2 N) steps. For short blocks. */
final class BinomialScatter {
  private BinomialScatter() {}

  /**
   * Scatters.
   *
   * @param all the root's blocks; used there only
   * @param mine the destination of this rank's block; null if the root's stays in its place
   */
  static void run(
      Channel channel, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    int size = channel.size();
    int v = channel.neighbour(-root);
    int blocks = Math.min(v == 0 ? size : Integer.lowestOneBit(v), size - v);
    Location held;
    if (v != 0) {
      Location own = Collectives.required(mine);
      held = blocks == 1 ? own : own.scratch(blocks * bytes);
      channel.recv(held, blocks * bytes, channel.neighbour(-(v & -v)));
    } else if (root == 0) {
      held = Collectives.required(all);
    } else {
      Location from = Collectives.required(all);
      held = from.scratch(size * bytes);
      from.plus(root * bytes).copyTo(held, (size - root) * bytes);
      from.copyTo(held.plus((size - root) * bytes), root * bytes);
    }
    for (int mask = Integer.highestOneBit(Math.max(blocks - 1, 0)); mask > 0; mask >>= 1) {
      long part = Math.min(mask, blocks - mask) * bytes;
      channel.send(held.plus(mask * bytes), part, channel.neighbour(mask));
    }
    if (mine != null && held != mine) {
      held.copyTo(mine, bytes);
    }
  }
}
