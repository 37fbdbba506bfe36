package org.fmi.core.coll;

/** Broadcast: the root writes piece after piece, and all other ranks read them. */
final class SharedBcast {
  private SharedBcast() {}

  static void run(SharedRegion region, Location data, long bytes, int root) {
    long piece = region.pieceBytes();
    for (long at = 0; at < bytes; at += piece) {
      long n = Math.min(piece, bytes - at);
      region.begin(n);
      if (region.rank() == root) {
        region.awaitFree();
        region.put(data.plus(at), root, 0, n);
        region.written();
      } else {
        region.awaitWritten(root);
        region.get(root, 0, data.plus(at), n);
      }
      region.done();
    }
  }
}
