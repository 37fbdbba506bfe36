package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/**
 * Reduce up a binomial tree: ceil(log2 N) steps of the whole vector. Each node combines a run of
 * consecutive ranks, lower ones left, which preserves the order for operations that do not commute;
 * for these the tree's root is rank 0. For short vectors, and those that must not be cut.
 */
final class BinomialReduce {
  private BinomialReduce() {}

  /**
   * Reduces.
   *
   * @param result the destination of the result; used at the root only
   */
  static void run(
      Channel channel, Reducer reducer, Location data, Location result, long bytes, int root) {
    int size = channel.size();
    int treeRoot = reducer.commutative() ? root : 0;
    int v = channel.neighbour(-treeRoot);
    Location sum = data; // the caller's memory: only read
    @Nullable Location spare = null;
    int mask = 1;
    for (; mask < size && (v & mask) == 0; mask <<= 1) {
      if (v + mask < size) {
        Scratch.Use use = sum == data ? Scratch.Use.OTHER : Scratch.Use.SUM;
        Location right = spare == null ? channel.scratch(reducer, use, bytes) : spare;
        channel.recv(right, bytes, channel.neighbour(mask));
        channel.combine(reducer, sum, right, right, bytes);
        spare = sum == data ? null : sum;
        sum = right;
      }
    }
    if (v != 0) {
      channel.send(sum, bytes, channel.neighbour(-mask));
    }
    if (treeRoot != root) {
      if (v == 0) {
        channel.send(sum, bytes, root);
      } else if (channel.rank() == root) {
        channel.recv(result, bytes, 0);
      }
    } else if (v == 0) {
      sum.copyTo(result, bytes);
    }
  }
}
