package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/**
 * Scatter: each rank reads its part. The root writes to its own ring if all parts fit there, else
 * to the rings of all other ranks.
 */
final class SharedScatter {
  private SharedScatter() {}

  /**
   * Scatters.
   *
   * @param all used at the root only
   * @param mine null if the root's data stays in its place
   */
  static void run(
      SharedRegion region, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    int rank = region.rank();
    if (rank == root && mine != null && all != null) {
      all.plus(root * bytes).copyTo(mine, bytes);
    }
    long total = region.size() * bytes;
    if (total <= region.pieceBytes()) {
      if (total > 0) {
        together(region, all, mine, bytes, root);
      }
    } else {
      apart(region, all, mine, bytes, root);
    }
  }

  private static void together(
      SharedRegion region, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    int rank = region.rank();
    long total = region.size() * bytes;
    region.begin(total);
    if (rank != root && mine != null) {
      region.awaitWritten(root);
      region.get(root, rank * bytes, mine, bytes);
    } else if (all != null) {
      region.awaitFree();
      region.put(all, root, 0, total);
      region.written();
    }
    region.done();
  }

  private static void apart(
      SharedRegion region, @Nullable Location all, @Nullable Location mine, long bytes, int root) {
    int rank = region.rank();
    long piece = region.pieceBytes();
    for (long at = 0; at < bytes; at += piece) {
      long n = Math.min(piece, bytes - at);
      region.begin(n);
      if (rank != root && mine != null) {
        region.awaitWritten(root);
        region.get(rank, 0, mine.plus(at), n);
      } else if (all != null) {
        region.awaitFree();
        for (int r = 0; r < region.size(); r++) {
          if (r != root) {
            region.put(all.plus(r * bytes + at), r, 0, n);
          }
        }
        region.written();
      }
      region.done();
    }
  }
}
