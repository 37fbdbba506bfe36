package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/** Alltoall: each rank writes a part for every rank, and reads its part from each. */
final class SharedAllToAll {
  private SharedAllToAll() {}

  /**
   * Exchanges.
   *
   * @param out null if the data to send are where the received data go
   * @param bytes the size per pair of ranks
   */
  static void run(SharedRegion region, @Nullable Location out, Location in, long bytes) {
    int rank = region.rank();
    int size = region.size();
    Location from = out == null ? in : out;
    if (out != null) {
      out.plus(rank * bytes).copyTo(in.plus(rank * bytes), bytes);
    }
    // A multiple of every element's size.
    long part = region.pieceBytes() / size & -Long.BYTES;
    for (long at = 0; at < bytes; at += part) {
      long n = Math.min(part, bytes - at);
      region.begin(size * n);
      region.awaitFree();
      for (int r = 0; r < size; r++) {
        if (r != rank) {
          region.put(from.plus(r * bytes + at), rank, r * n, n);
        }
      }
      region.written();
      for (int i = 1; i < size; i++) {
        int r = (rank + i) % size;
        region.awaitWritten(r);
        region.get(r, rank * n, in.plus(r * bytes + at), n);
      }
      region.done();
    }
  }
}
