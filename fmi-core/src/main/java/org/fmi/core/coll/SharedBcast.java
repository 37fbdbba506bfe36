package org.fmi.core.coll;

/** Broadcast: the root writes slot after slot, all others read them. */
final class SharedBcast {
  private SharedBcast() {}

  static void run(SharedRegion region, Region data, long bytes, int root) {
    long slot = region.slotBytes();
    for (long at = 0; at < bytes; at += slot) {
      long n = Math.min(slot, bytes - at);
      region.begin(Kind.BCAST, bytes);
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
