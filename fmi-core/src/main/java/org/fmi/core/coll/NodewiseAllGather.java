package org.fmi.core.coll;

import static org.fmi.core.coll.Collectives.required;

/**
 * Allgather by node: one rank of each node collects its node's block, these ranks exchange their
 * blocks, and distribute all blocks within their nodes.
 */
final class NodewiseAllGather {
  private static final int SPEAKER = 0;

  private NodewiseAllGather() {}

  /**
   * Whether the data are short enough. Long data go round one ring of all ranks, in which each node
   * gets each byte once, too.
   */
  static boolean suits(Nodes nodes, int ranks, long bytes) {
    return nodes.ranksInBlock() > 0 && Thresholds.allGatherInFewSteps(ranks * bytes);
  }

  /**
   * Gathers.
   *
   * @param mine may be at its place in {@code all}
   */
  static void run(Nodes nodes, Location mine, long bytes, Location all, int ranks) {
    SharedRegion region = required(nodes.region());
    long blockBytes = nodes.ranksInBlock() * bytes;
    SharedGather.run(region, mine, bytes, all.plus(nodes.node() * blockBytes), SPEAKER);
    if (nodes.speaks()) {
      Collectives.allGatherByMessages(nodes.speakers(), null, blockBytes, all);
    }
    SharedBcast.run(region, all, ranks * bytes, SPEAKER);
  }
}
