package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/** Allgather: each rank writes its slot and reads all other slots. */
final class SharedAllGather {
  private SharedAllGather() {}

  /**
   * Gathers.
   *
   * @param mine null if this rank's data is in its place
   */
  static void run(SharedRegion region, @Nullable Location mine, long bytes, Location all) {
    long piece = region.pieceBytes();
    int rank = region.rank();
    int size = region.size();
    Location place = all.plus(rank * bytes);
    if (mine != null) {
      mine.copyTo(place, bytes);
    }
    for (long at = 0; at < bytes; at += piece) {
      long n = Math.min(piece, bytes - at);
      region.begin(n);
      region.awaitFree();
      region.put(place.plus(at), rank, 0, n);
      region.written();
      for (int i = 1; i < size; i++) {
        int r = (rank + i) % size;
        region.awaitWritten(r);
        region.get(r, 0, all.plus(r * bytes + at), n);
      }
      region.done();
    }
  }
}
