package org.fmi.core.coll;

import static org.fmi.core.coll.Collectives.required;

import org.jspecify.annotations.Nullable;

/** Gather by node: one rank of each node collects its node's block and sends it to the root. */
final class NodewiseGather {
  private NodewiseGather() {}

  /**
   * Whether the data are short enough. Long data go directly to the root: copies on the way cost
   * more than the messages they save.
   */
  static boolean suits(Nodes nodes, long bytes) {
    return nodes.ranksInBlock() > 0 && Thresholds.gatherByTree(bytes);
  }

  /**
   * Gathers.
   *
   * @param mine null if the root's data is in its place
   * @param all used at the root only
   */
  static void run(
      Nodes nodes, @Nullable Location mine, long bytes, @Nullable Location all, int root) {
    Channel speakers = nodes.speakersWith(root);
    int rootNode = nodes.nodeOf(root);
    boolean isRoot = speakers.rank() == rootNode;
    long blockBytes = nodes.ranksInBlock() * bytes;
    Location block = nodes.block(all, mine, blockBytes, root);
    SharedGather.run(required(nodes.region()), mine, bytes, block, nodes.place(root));
    if (block != null) {
      Collectives.gatherByMessages(speakers, isRoot ? null : block, blockBytes, all, rootNode);
    }
  }
}
