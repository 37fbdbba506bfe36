package org.fmi.core.coll;

/**
 * Allreduce: all ranks write their operands; short ones are combined by every rank for itself, in
 * one round; of longer ones each rank combines a slice, which the others read in a second round.
 */
final class SharedAllReduce {
  private SharedAllReduce() {}

  /** {@code result} may be the same place as {@code data}. */
  static void run(
      SharedRegion region,
      Reducer reducer,
      ReductionOrder order,
      Region data,
      Region result,
      long bytes) {
    long slot = region.slotBytes();
    for (long at = 0; at < bytes; at += slot) {
      long n = Math.min(slot, bytes - at);
      if (SharedOperands.uncut(region, reducer, n)) {
        SharedOperands.write(region, Kind.ALL_REDUCE, data.plus(at), n);
        if (!SharedOperands.combinePair(region, reducer, data.plus(at), result.plus(at), n)) {
          SharedOperands.combine(region, reducer, order, data.plus(at), 0, n)
              .copyTo(result.plus(at), n);
        }
        region.done();
      } else {
        long[] starts =
            SharedOperands.reduceSlices(region, Kind.ALL_REDUCE, reducer, order, data.plus(at), n);
        for (int r = 0; r < region.size(); r++) {
          region.awaitWritten(r);
          region.get(r, 0, result.plus(at + starts[r]), starts[r + 1] - starts[r]);
        }
        region.done();
      }
    }
  }
}
