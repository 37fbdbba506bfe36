package org.fmi.core.coll;

/**
 * Reduce: all other ranks write their operands, which the root combines. Of longer ones each rank
 * combines a slice, which the root reads in a second round.
 */
final class SharedReduce {
  private SharedReduce() {}

  /**
   * Reduces.
   *
   * @param result the destination of the result; used at the root only
   */
  static void run(
      SharedRegion region,
      Reducer reducer,
      ReductionOrder order,
      Location data,
      Location result,
      long bytes,
      int root) {
    boolean isRoot = region.rank() == root;
    long piece = region.pieceBytes();
    for (long at = 0; at < bytes; at += piece) {
      long n = Math.min(piece, bytes - at);
      if (!reducer.divisible() || Thresholds.reduceSharedAtRoot(n, region)) {
        if (isRoot) {
          region.begin(n);
          SharedOperands.combine(region, reducer, order, data.plus(at), 0, n, result.plus(at));
        } else {
          SharedOperands.write(region, data.plus(at), n);
        }
      } else {
        long[] starts = SharedOperands.reduceSlices(region, reducer, order, data.plus(at), n);
        for (int r = 0; isRoot && r < region.size(); r++) {
          region.awaitWritten(r);
          region.get(r, 0, result.plus(at + starts[r]), starts[r + 1] - starts[r]);
        }
      }
      region.done();
    }
  }
}
