package org.fmi.core.coll;

/**
 * Allreduce by node: one rank of each node combines its node's operands, these exchange what they
 * have, and hand the result round. Either the order in which operands are combined does not matter,
 * or it is that of {@link RecursiveDoublingAllReduce} among all ranks: a result never depends on
 * where ranks are.
 */
final class NodewiseAllReduce {
  private static final int SPEAKER = 0;

  private NodewiseAllReduce() {}

  /** Whether the ranks are spread over nodes in a way that gives the same bits. */
  static boolean suits(Nodes nodes, Reducer reducer, long bytes) {
    return reducer.exact()
        || (Thresholds.reduceWhole(bytes) && nodes.aligned() && nodes.fit(reducer, bytes));
  }

  /** {@code result} may be the same place as {@code data}. */
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
