package org.fmi.core.coll;

/**
 * Allreduce by node: one rank of each node combines its node's operands, these ranks reduce their
 * results, and distribute the total within their nodes. Either the order of operands does not
 * matter, or it is the order of {@link RecursiveDoublingAllReduce} among all ranks: a result never
 * depends on the placement of ranks.
 */
final class NodewiseAllReduce {
  private static final int SPEAKER = 0;

  private NodewiseAllReduce() {}

  /** Whether the distribution of ranks over nodes gives the same bits. */
  static boolean suits(Nodes nodes, Reducer reducer, long bytes) {
    return reducer.exact()
        || (Thresholds.reduceWhole(bytes) && nodes.aligned() && nodes.fit(reducer, bytes));
  }

  /** Reduces. {@code result} may be the same location as {@code data}. */
  static void run(Nodes nodes, Reducer reducer, Location data, Location result, long bytes) {
    SharedRegion region = nodes.region();
    boolean speaks = nodes.speaks();
    Location sum = data;
    if (region != null) {
      SharedReduce.run(region, reducer, region.doubling(), data, result, bytes, SPEAKER);
      sum = result;
    }
    if (speaks) {
      Reductions.allReduceByMessages(nodes.speakers(), reducer, sum, result, bytes);
    }
    if (region != null) {
      SharedBcast.run(region, result, bytes, SPEAKER);
    }
  }
}
