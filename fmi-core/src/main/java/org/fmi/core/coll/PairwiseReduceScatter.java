package org.fmi.core.coll;

/**
 * Reduce-scatter in pairs: in step i each rank sends the block of the rank i further on directly to
 * it. N-1 steps; each byte moves once. For long vectors and commutative operations.
 */
final class PairwiseReduceScatter {
  private PairwiseReduceScatter() {}

  /**
   * Reduces.
   *
   * @param result the destination of this rank's block; may be the beginning of {@code data}, or
   *     the block's place in it
   * @param starts the offsets of the blocks in {@code data} in bytes, and its end
   */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long[] starts) {
    int rank = channel.rank();
    long bytes = starts[rank + 1] - starts[rank];
    // In place, a result at the vector's beginning would overwrite data still to be sent.
    Location to = data.isSamePlaceAs(result) ? data.plus(starts[rank]) : result;
    Location sum = data.plus(starts[rank]);
    for (int step = 1; step < channel.size(); step++) {
      int dest = channel.neighbour(step);
      int source = channel.neighbour(-step);
      long destBytes = starts[dest + 1] - starts[dest];
      Pipeline.exchange(
          channel, reducer, data.plus(starts[dest]), destBytes, dest, sum, to, bytes, source);
      sum = to;
    }
    if (!sum.isSamePlaceAs(result)) {
      sum.copyTo(result, bytes);
    }
  }
}
