package org.fmi.core.coll;

/**
 * Reduce-scatter: each rank writes a part of its operand for every rank, and combines its own parts
 * of all operands.
 */
final class SharedReduceScatter {
  private SharedReduceScatter() {}

  /**
   * Reduces.
   *
   * @param result the destination of this rank's block; may be inside {@code data}, at its
   *     beginning or at the block's place
   * @param starts the offsets of the ranks' blocks in bytes, and the vector's end
   */
  static void run(
      SharedRegion region,
      Reducer reducer,
      ReductionOrder order,
      Location data,
      Location result,
      long[] starts) {
    int rank = region.rank();
    int size = region.size();
    long longest = 0;
    for (int r = 0; r < size; r++) {
      longest = Math.max(longest, starts[r + 1] - starts[r]);
    }
    // Whole pairs of the longest elements, which MINLOC decides on.
    long part = region.pieceBytes() / size & -(2 * Long.BYTES);
    for (long at = 0; at < longest; at += part) {
      long n = Math.min(part, longest - at);
      region.begin(size * n);
      region.awaitFree();
      for (int r = 0; r < size; r++) {
        long theirs = length(starts, r, at, n);
        if (r != rank && theirs > 0) {
          region.put(data.plus(starts[r] + at), rank, r * n, theirs);
        }
      }
      region.written();
      long mine = length(starts, rank, at, n);
      if (mine > 0) {
        Location own = data.plus(starts[rank] + at);
        SharedOperands.combine(region, reducer, order, own, rank * n, mine, result.plus(at));
      }
      region.done();
    }
  }

  /** The number of bytes of a rank's block from {@code at} on, at most {@code most}. */
  private static long length(long[] starts, int r, long at, long most) {
    return Math.clamp(starts[r + 1] - starts[r] - at, 0, most);
  }
}
