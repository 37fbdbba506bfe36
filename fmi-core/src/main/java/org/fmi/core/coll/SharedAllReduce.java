package org.fmi.core.coll;

/**
 * Allreduce: all ranks write their operands. Every rank combines short ones by itself, in one
 * round. Of longer ones each rank combines a slice, which all ranks read in a second round.
 */
final class SharedAllReduce {
  private SharedAllReduce() {}

  /**
   * Reduces a vector, or a part of one.
   *
   * @param result may be the same location as {@code data}
   */
  static void run(
      SharedRegion region,
      Reducer reducer,
      ReductionOrder order,
      Location data,
      Location result,
      long bytes) {
    long piece = region.pieceBytes();
    for (long at = 0; at < bytes; at += piece) {
      long n = Math.min(piece, bytes - at);
      if (!reducer.divisible() || Thresholds.reduceSharedWhole(n, region.size())) {
        SharedOperands.write(region, data.plus(at), n);
        SharedOperands.combine(region, reducer, order, data.plus(at), 0, n, result.plus(at));
      } else {
        long[] starts = SharedOperands.reduceSlices(region, reducer, order, data.plus(at), n);
        for (int r = 0; r < region.size(); r++) {
          region.awaitWritten(r);
          region.get(r, 0, result.plus(at + starts[r]), starts[r + 1] - starts[r]);
        }
      }
      region.done();
    }
  }
}
