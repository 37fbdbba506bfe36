package org.fmi.core.coll;

/**
 * Reduce-scatter: each rank writes a part of its operand for every rank, which combines its parts
 * of all.
 */
final class SharedReduceScatter {
  private SharedReduceScatter() {}

  /**
   * Reduces.
   *
   * @param result where this rank's block goes; may lie in {@code data}, at its beginning or where
   *     the block is
   * @param starts where the ranks' blocks begin in bytes, and the vector's end
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
    // Whole pairs of the longest elements, of which MINLOC makes its decisions.
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

  /** The bytes of a rank's block from {@code at} on, {@code most} at most. */
  private static long length(long[] starts, int r, long at, long most) {
    return Math.clamp(starts[r + 1] - starts[r] - at, 0, most);
  }
}
