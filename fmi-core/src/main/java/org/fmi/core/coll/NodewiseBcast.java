package org.fmi.core.coll;

/**
 * Broadcast by node: the root sends to one rank of each other node, which writes it for its node.
 */
final class NodewiseBcast {
  private NodewiseBcast() {}

  static void run(Nodes nodes, Location data, long bytes, int root) {
    Channel speakers = nodes.speakersWith(root);
    if (speakers.rank() >= 0) {
      Collectives.bcastByMessages(speakers, data, bytes, nodes.nodeOf(root));
    }
    SharedRegion region = nodes.region();
    if (region != null) {
      SharedBcast.run(region, data, bytes, nodes.place(root));
    }
  }
}
