package org.fmi.core.coll;

import static org.fmi.core.coll.Collectives.required;

import org.jspecify.annotations.Nullable;

/** Scatter by node: the root sends each node's block to one of its ranks, which shares it. */
final class NodewiseScatter {
  private NodewiseScatter() {}

  /**
   * Whether the data are short enough. Long data come directly from the root: copies on the way
   * cost more than the messages they save.
   */
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
