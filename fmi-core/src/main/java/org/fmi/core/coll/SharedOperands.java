package org.fmi.core.coll;

/** The steps that reductions through a {@link SharedRegion} have in common. */
final class SharedOperands {
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
