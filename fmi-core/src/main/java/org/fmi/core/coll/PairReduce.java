package org.fmi.core.coll;

/**
 * Reduce of two ranks, in pieces: the root combines one while the next one comes. For long vectors,
 * whose bytes move once; halving would move them one and a half times.
 */
final class PairReduce {
  private PairReduce() {}

  static boolean suits(Channel channel, Reducer reducer) {
    return channel.size() == 2 && reducer.divisible();
  }

  /**
   * Reduces.
   *
   * @param result where the result goes at the root; at the other rank not used
   */
  static void run(
      Channel channel, Reducer reducer, Location data, Location result, long bytes, int root) {
    int other = channel.neighbour(1);
    if (channel.rank() == root) {
      Pipeline.receive(channel, reducer, data, result, bytes, other);
    } else {
      Pipeline.send(channel, data, bytes, other);
    }
  }
}
