package org.fmi.core.coll;

/**
 * Rabenseifner's reduce: reduce-scatter by recursive halving, then a gather up a binomial tree.
 * About twice the vector's bytes through each rank, for any N. For long vectors and commutative
 * operations.
 */
final class RabenseifnerReduce {
  private RabenseifnerReduce() {}

  /**
   * Reduces.
   *
   * @param result the destination of the result; used at the root only
   */
  static void run(
      Channel channel, Reducer reducer, Location data, Location result, long bytes, int root) {
    PowerOfTwoFold fold = new PowerOfTwoFold(channel, root);
    long part = Scratch.part(reducer, bytes);
    for (long at = 0; at < bytes; at += part) {
      long n = Math.min(part, bytes - at);
      if (!fold.acts()) {
        Pipeline.send(channel, data.plus(at), n, fold.partner());
      } else {
        // A rank's part of the result goes to the root: only there is room for it.
        Location sum =
            channel.rank() == root ? result.plus(at) : channel.scratch(reducer, Scratch.Use.SUM, n);
        reducePart(channel, fold, reducer, data.plus(at), sum, n, root);
      }
    }
  }

  private static void reducePart(
      Channel channel,
      PowerOfTwoFold fold,
      Reducer reducer,
      Location data,
      Location sum,
      long bytes,
      int root) {
    Location from = data;
    if (fold.paired()) {
      Pipeline.receive(channel, reducer, data, sum, bytes, fold.partner());
      from = sum;
    }
    long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, fold.size());
    RecursiveHalving.run(channel, fold, reducer, from, sum, starts);
    gather(channel, fold, sum, starts, fold.virtual(root));
  }

  /**
   * Gathers the blocks. Node numbers of the tree are v xor root, so that subtrees are runs of
   * blocks for every root.
   */
  private static void gather(
      Channel channel, PowerOfTwoFold fold, Location sum, long[] starts, int root) {
    int v = fold.virtual();
    for (int mask = 1; mask < fold.size(); mask <<= 1) {
      int peer = v ^ mask;
      if (((v ^ root) & mask) != 0) {
        int first = v & -mask;
        long bytes = starts[first + mask] - starts[first];
        channel.send(sum.plus(starts[first]), bytes, fold.actor(peer));
        return;
      }
      int first = peer & -mask;
      long bytes = starts[first + mask] - starts[first];
      channel.recv(sum.plus(starts[first]), bytes, fold.actor(peer));
    }
  }
}
