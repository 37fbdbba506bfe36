package org.fmi.core.coll;

/**
 * Allreduce by pairwise reduce-scatter and ring allgather: 2 (N-1) steps, and for every N at most
 * twice the vector's bytes through each rank. Each block is computed by one rank, so all ranks get
 * the same bits. For very long vectors if N is no power of two, and commutative operations.
 */
final class PairwiseRingAllReduce {
  private PairwiseRingAllReduce() {}

  /** Reduces. {@code result} may be the same location as {@code data}. */
  static void run(Channel channel, Reducer reducer, Location data, Location result, long bytes) {
    long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, channel.size());
    int rank = channel.rank();
    PairwiseReduceScatter.run(channel, reducer, data, result.plus(starts[rank]), starts);
    RingAllGather.run(channel, result, starts, rank);
  }
}
