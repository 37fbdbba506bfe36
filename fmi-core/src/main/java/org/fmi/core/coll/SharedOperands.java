package org.fmi.core.coll;

/** The steps that reductions through a {@link SharedRegion} have in common. */
final class SharedOperands {
  /** Fits the first-level cache, with the other operand's. */
  private static final long BLOCK_BYTES = 8 << 10;

  private SharedOperands() {}

  /** Whether a slot holds operands of this length, or parts of them that can be reduced apart. */
  static boolean fit(SharedRegion region, Reducer reducer, long bytes) {
    return reducer.divisible() || bytes <= region.slotBytes();
  }

  /** Whether no slices are made of operands of this length. */
  static boolean uncut(SharedRegion region, Reducer reducer, long bytes) {
    return !reducer.divisible() || Thresholds.reduceSharedWhole(bytes, region.size());
  }

  /** A round begins in which each rank writes its operand. */
  static void write(SharedRegion region, Kind kind, Region data, long bytes) {
    region.begin(kind, bytes);
    region.awaitFree();
    region.put(data, region.rank(), 0, bytes);
    region.written();
  }

  /**
   * Waits for the operands of the others and combines a part of all; gives scratch that holds the
   * result.
   *
   * @param own this rank's operand
   */
  static Region combine(
      SharedRegion region, Reducer reducer, ReductionOrder order, Region own, long at, long bytes) {
    Region[] rows = region.rows(reducer);
    own.plus(at).copyTo(rows[region.rank()], bytes);
    for (int r = 0; r < region.size(); r++) {
      if (r != region.rank()) {
        region.awaitWritten(r);
        region.get(r, at, rows[r], bytes);
      }
    }
    return order.reduce(reducer, rows, bytes);
  }

  /**
   * Of two ranks: reads the operand of the other to where the result goes and combines this rank's
   * with it there, block by block, while the block is in the cache. Half the copies of {@link
   * #combine}; no order has to be kept with two operands of an operation that commutes.
   *
   * @return false, and nothing done, if that is not possible here
   */
  static boolean combinePair(
      SharedRegion region, Reducer reducer, Region own, Region result, long bytes) {
    if (region.size() != 2 || !reducer.direct(own, result)) {
      return false;
    }
    int other = 1 - region.rank();
    region.awaitWritten(other);
    for (long at = 0; at < bytes; at += BLOCK_BYTES) {
      long n = Math.min(BLOCK_BYTES, bytes - at);
      Region block = result.plus(at);
      region.get(other, at, block, n);
      reducer.combine(own.plus(at), block, n);
    }
    return true;
  }

  /**
   * A round in which each rank writes its operand and combines its slice of all; then one begins in
   * which it writes the result of that.
   *
   * @return where the slices begin, and the operand's end
   */
  static long[] reduceSlices(
      SharedRegion region,
      Kind kind,
      Reducer reducer,
      ReductionOrder order,
      Region data,
      long bytes) {
    int rank = region.rank();
    long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, region.size());
    long mine = starts[rank + 1] - starts[rank];
    write(region, kind, data, bytes);
    Region reduced = combine(region, reducer, order, data, starts[rank], mine);
    region.done();
    region.begin(kind, bytes);
    region.awaitFree();
    region.put(reduced, rank, 0, mine);
    region.written();
    return starts;
  }
}
