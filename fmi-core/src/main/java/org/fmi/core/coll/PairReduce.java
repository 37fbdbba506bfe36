package org.fmi.core.coll;

/**
 * Reduce of two ranks, in pieces: the root combines one piece while it receives the next. For long
 * vectors, whose bytes move once; halving would move them one and a half times.
 */
final class PairReduce {
  private PairReduce() {}

  static boolean suits(Channel channel, Reducer reducer) {
    return channel.size() == 2 && reducer.divisible();
  }

  /**
   * Reduces.
   *
   * @param result the destination of the result; used at the root only
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
