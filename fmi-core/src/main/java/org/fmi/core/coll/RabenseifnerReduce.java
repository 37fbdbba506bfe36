package org.fmi.core.coll;

/**
 * Rabenseifner's reduce: reduce-scatter by recursive halving, then a gather up a binomial tree.
 * About twice the vector's bytes through each rank, whatever N. For long vectors and commutative
 * operations.
 */
final class RabenseifnerReduce {
  private RabenseifnerReduce() {}

  /**
   * Reduces.
   *
   * @param result where the result goes at the root; at other ranks not used
   */
  static void run(
      Channel channel, Reducer reducer, Location data, Location result, long bytes, int root) {
    PowerOfTwoFold fold = new PowerOfTwoFold(channel, root);
    if (!fold.acts()) {
      channel.send(data, bytes, fold.partner());
      return;
    }
    Location sum;
    if (channel.rank() == root) {
      data.copyTo(result, bytes);
      sum = result;
    } else {
      sum = channel.copyOf(reducer, Scratch.Use.SUM, data, bytes);
    }
    if (fold.paired()) {
      Location other = channel.scratch(reducer, Scratch.Use.OTHER, bytes);
      channel.recv(other, bytes, fold.partner());
      reducer.combine(other, sum, bytes);
    }
    long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, fold.size());
    RecursiveHalving.run(channel, fold, reducer, sum, starts);
    gather(channel, fold, sum, starts, fold.virtual(root));
  }

  /** The tree's node numbers are v xor root: subtrees are then runs of blocks for every root. */
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
