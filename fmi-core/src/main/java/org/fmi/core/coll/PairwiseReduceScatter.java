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
   * @param result where this rank's block goes; may lie in {@code data}
   * @param starts where blocks begin in {@code data} in bytes, and its end
   */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long[] starts) {
    int rank = channel.rank();
    long bytes = starts[rank + 1] - starts[rank];
    Location sum = channel.copyOf(reducer, Scratch.Use.SUM, data.plus(starts[rank]), bytes);
    Location other = channel.scratch(reducer, Scratch.Use.OTHER, bytes);
    for (int step = 1; step < channel.size(); step++) {
      int dest = channel.neighbour(step);
      int source = channel.neighbour(-step);
      channel.exchange(
          data.plus(starts[dest]), starts[dest + 1] - starts[dest], dest, other, bytes, source);
      reducer.combine(other, sum, bytes);
    }
    sum.copyTo(result, bytes);
  }
}
