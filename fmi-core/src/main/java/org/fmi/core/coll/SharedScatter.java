package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/** Scatter: the root writes the slots of all others, each reads its own. */
final class SharedScatter {
  private SharedScatter() {}

  /**
   * Scatters.
   *
   * @param all used at the root only
   * @param mine null if the root's data stays in its place
   */
  static void run(
      SharedRegion region, @Nullable Region all, @Nullable Region mine, long bytes, int root) {
    long slot = region.slotBytes();
    int rank = region.rank();
    if (rank == root && mine != null && all != null) {
      all.plus(root * bytes).copyTo(mine, bytes);
    }
    for (long at = 0; at < bytes; at += slot) {
      long n = Math.min(slot, bytes - at);
      region.begin(Kind.SCATTER, bytes);
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
