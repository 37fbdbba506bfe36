package org.fmi.core.coll;

/** The steps shared by reductions through a {@link SharedRegion}. */
final class SharedOperands {
  /**
   * The block that is combined at a time; stays in the cache, with the operands of a few other
   * ranks.
   */
  private static final long BLOCK_BYTES = 8 << 10;

  /** The block for two operands, which are worth longer copies. */
  private static final long PAIR_BLOCK_BYTES = 32 << 10;

  private SharedOperands() {}

  /** Whether a rank can write operands of this length, or independently reducible parts of them. */
  static boolean fit(SharedRegion region, Reducer reducer, long bytes) {
    return reducer.divisible() || bytes <= region.pieceBytes();
  }

  /** Begins a round in which each rank writes its operand, or a part of it. */
  static void write(SharedRegion region, Location data, long bytes) {
    region.begin(bytes);
    region.awaitFree();
    region.put(data, region.rank(), 0, bytes);
    region.written();
  }

  /**
   * Waits for the other ranks' operands and combines a part of all operands.
   *
   * @param own this rank's part
   * @param at the part's offset at the other ranks
   * @param result may be the same location as {@code own}
   */
  static void combine(
      SharedRegion region,
      Reducer reducer,
      ReductionOrder order,
      Location own,
      long at,
      long bytes,
      Location result) {
    for (int r = 0; r < region.size(); r++) {
      if (r != region.rank()) {
        region.awaitWritten(r);
      }
    }
    if (region.size() == 2 && reducer.direct(own, result)) {
      combinePair(region, reducer, own, at, bytes, result);
      return;
    }
    // A user-defined operation gets the whole vector.
    long most = region.size() == 2 ? PAIR_BLOCK_BYTES : BLOCK_BYTES;
    long block = reducer.divisible() ? Math.min(most, bytes) : bytes;
    Location[] rows = region.rows(reducer, block);
    for (long done = 0; done < bytes; done += block) {
      long n = Math.min(block, bytes - done);
      for (int r = 0; r < region.size(); r++) {
        if (r == region.rank()) {
          own.plus(done).copyTo(rows[r], n);
        } else {
          region.get(r, at + done, rows[r], n);
        }
      }
      order.reduce(reducer, rows, n).copyTo(result.plus(done), n);
    }
  }

  /**
   * Combines for two ranks: reads the other rank's operand into the result and combines this rank's
   * operand with it there, block by block, while the block is in the cache. Takes half the copies.
   * The order of two operands does not matter to an operation that commutes.
   */
  private static void combinePair(
      SharedRegion region, Reducer reducer, Location own, long at, long bytes, Location result) {
    int other = 1 - region.rank();
    for (long done = 0; done < bytes; done += BLOCK_BYTES) {
      long n = Math.min(BLOCK_BYTES, bytes - done);
      Location block = result.plus(done);
      region.get(other, at + done, block, n);
      reducer.combine(own.plus(done), block, n);
    }
  }

  /**
   * Runs a round in which each rank writes its operand and combines its slice of all operands, and
   * begins a round in which it writes that slice's result.
   *
   * @return the starts of the slices, and the operand's end
   */
  static long[] reduceSlices(
      SharedRegion region, Reducer reducer, ReductionOrder order, Location data, long bytes) {
    int rank = region.rank();
    long[] starts = RecursiveHalving.equalBlocks(reducer, bytes, region.size());
    long mine = starts[rank + 1] - starts[rank];
    write(region, data, bytes);
    Location sum = region.sum(reducer, mine);
    combine(region, reducer, order, data.plus(starts[rank]), starts[rank], mine, sum);
    region.done();
    region.begin(starts[1]); // the first slice is the longest
    region.awaitFree();
    region.put(sum, rank, 0, mine);
    region.written();
    return starts;
  }
}
