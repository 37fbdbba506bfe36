package org.fmi.core.coll;

/**
 * Reduce-scatter in pairs: in step i each rank sends the block of the rank i further on straight to
 * it. N-1 steps; each byte moves once. For long vectors and commutative operations.
 */
final class PairwiseReduceScatter {
  private PairwiseReduceScatter() {}

  /**
   * Reduces.
   *
   * @param result where this rank's block goes; may be the beginning of {@code data}, or where the
   *     block is there
   * @param starts where blocks begin in {@code data} in bytes, and its end
   */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long[] starts) {
    int rank = channel.rank();
    long bytes = starts[rank + 1] - starts[rank];
    // In place, a result at the vector's beginning would overwrite what is still to be sent.
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
