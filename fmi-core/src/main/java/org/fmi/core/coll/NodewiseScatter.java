package org.fmi.core.coll;

import static org.fmi.core.coll.Collectives.required;

import org.jspecify.annotations.Nullable;

/**
 * Scatter by node: the root sends one rank of each node its node's block, which that one shares.
 */
final class NodewiseScatter {
  private NodewiseScatter() {}

  /** Long data come straight from the root: to copy them on the way costs more than messages. */
  static boolean suits(Nodes nodes, long bytes) {
    return NodewiseGather.suits(nodes, bytes);
  }

  /**
   * Scatters.
   *
   * @param all used at the root only
   * @param mine null if the root's data stays in its place
   */
  static void run(
      Nodes nodes, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    Channel speakers = nodes.speakersWith(root);
    int rootNode = nodes.nodeOf(root);
    boolean isRoot = speakers.rank() == rootNode;
    long blockBytes = nodes.ranksInBlock() * bytes;
    Location block = nodes.block(all, mine, blockBytes, root);
    if (block != null) {
      Collectives.scatterByMessages(speakers, all, isRoot ? null : block, blockBytes, rootNode);
    }
    SharedScatter.run(required(nodes.region()), block, mine, bytes, nodes.place(root));
  }
}
