package org.fmi.core.coll;

/**
 * Reduce by node: one rank of each node combines its node's operands, and these ranks reduce their
 * results. Either the order of operands does not matter, or it is the order of {@link
 * BinomialReduce} among all ranks: a result never depends on the placement of ranks.
 */
final class NodewiseReduce {
  private NodewiseReduce() {}

  /** Whether the distribution of ranks over nodes gives the same bits. */
  static boolean suits(Nodes nodes, Reducer reducer, long bytes, int root) {
    return reducer.exact()
        || (Thresholds.reduceWhole(bytes)
            && reducer.commutative() // else the tree has another root
            && nodes.aligned()
            && nodes.fit(reducer, bytes)
            && nodes.isSpeaker(root));
  }

  /**
   * Reduces.
   *
   * @param result the destination of the result; used at the root only
   */
  static void run(
      Nodes nodes, Reducer reducer, Location data, Location result, long bytes, int root) {
    long part = Scratch.part(reducer, bytes);
    for (long at = 0; at < bytes; at += part) {
      long n = Math.min(part, bytes - at);
      runPart(nodes, reducer, data.plus(at), result.plus(at), n, root);
    }
  }

  private static void runPart(
      Nodes nodes, Reducer reducer, Location data, Location result, long bytes, int root) {
    Channel speakers = nodes.speakersWith(root);
    int rootNode = nodes.nodeOf(root);
    boolean speaks = speakers.rank() >= 0;
    Location sum = data;
    SharedRegion region = nodes.region();
    if (region != null) {
      int place = nodes.place(root);
      if (speaks) {
        sum = speakers.rank() == rootNode ? result : nodes.sum(reducer, bytes);
      }
      SharedReduce.run(region, reducer, region.binomial(place), data, sum, bytes, place);
    }
    if (speaks) {
      Reductions.reduceByMessages(speakers, reducer, sum, result, bytes, rootNode);
    }
  }
}
