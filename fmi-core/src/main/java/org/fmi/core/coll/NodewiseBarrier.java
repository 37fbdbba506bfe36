package org.fmi.core.coll;

/**
 * Barrier by node: all ranks signal their node's speaker, the speakers wait for each other, and
 * release their nodes.
 */
final class NodewiseBarrier {
  private static final int SPEAKER = 0;

  private NodewiseBarrier() {}

  static void run(Nodes nodes) {
    SharedRegion region = nodes.region();
    boolean speaks = nodes.speaks();
    if (region != null) {
      region.begin(0);
      if (speaks) {
        for (int r = 1; r < region.size(); r++) {
          region.awaitWritten(r);
        }
      } else {
        region.awaitFree();
        region.written();
      }
      region.done();
    }
    if (speaks) {
      DisseminationBarrier.run(nodes.speakers());
    }
    if (region != null) {
      region.begin(0);
      if (speaks) {
        region.awaitFree();
        region.written();
      } else {
        region.awaitWritten(SPEAKER);
      }
      region.done();
    }
  }
}
