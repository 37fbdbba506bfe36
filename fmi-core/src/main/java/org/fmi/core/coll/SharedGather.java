package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/** Gather: all other ranks write, the root reads. */
final class SharedGather {
  private SharedGather() {}

  /**
   * Gathers.
   *
   * @param mine null if the root's data is in its place
   * @param all used at the root only
   */
  static void run(
      SharedRegion region, @Nullable Location mine, long bytes, @Nullable Location all, int root) {
    long piece = region.pieceBytes();
    int rank = region.rank();
    if (rank == root && mine != null && all != null) {
      mine.copyTo(all.plus(root * bytes), bytes);
    }
    for (long at = 0; at < bytes; at += piece) {
      long n = Math.min(piece, bytes - at);
      region.begin(n);
      if (rank != root && mine != null) {
        region.awaitFree();
        region.put(mine.plus(at), rank, 0, n);
        region.written();
      } else if (all != null) {
        for (int r = 0; r < region.size(); r++) {
          if (r != root) {
            region.awaitWritten(r);
            region.get(r, 0, all.plus(r * bytes + at), n);
          }
        }
      }
      region.done();
    }
  }
}
