package org.fmi.core.coll;

/**
 * Barrier in one round: each rank announces its arrival, and waits for the arrivals of all other
 * ranks.
 */
final class SharedBarrier {
  private SharedBarrier() {}

  static void run(SharedRegion region) {
    region.begin(0);
    region.awaitFree();
    region.written();
    for (int r = 0; r < region.size(); r++) {
      if (r != region.rank()) {
        region.awaitWritten(r);
      }
    }
    region.done();
  }
}
