package org.fmi.core.coll;

import org.fmi.FmiException;

/**
 * All-to-all in pairs: in step i each rank sends to the rank i further on and receives from the
 * rank i before. Each byte moves once. For long blocks, and blocks of different lengths.
 */
final class PairwiseAllToAll {
  private PairwiseAllToAll() {}

  /** Exchanges the blocks. Starts and lengths are in bytes, one per peer. */
  static void run(
      Channel channel,
      Location out,
      long[] outStarts,
      long[] outLengths,
      Location in,
      long[] inStarts,
      long[] inLengths) {
    int rank = channel.rank();
    out.plus(outStarts[rank]).copyTo(in.plus(inStarts[rank]), outLengths[rank]);
    FmiException truncated = null;
    for (int step = 1; step < channel.size(); step++) {
      int dest = channel.neighbour(step);
      int source = channel.neighbour(-step);
      try {
        channel.exchange(
            out.plus(outStarts[dest]),
            outLengths[dest],
            dest,
            in.plus(inStarts[source]),
            inLengths[source],
            source);
      } catch (FmiException e) {
        truncated = Channel.truncated(e, truncated); // the other ranks wait for this one
      }
    }
    if (truncated != null) {
      throw truncated;
    }
  }
}
