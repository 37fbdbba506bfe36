package org.fmi.job;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Chooses the nodes that are set aside as spares. */
public final class Spares {
  private Spares() {}

  /**
   * Returns the last nodes. Where racks are known, returns the last nodes of different racks, so
   * that a lost rack takes as few spares as possible with it.
   *
   * @param rackOf rack of each node; empty if unknown
   */
  public static BitSet choose(List<String> rackOf, int count) {
    BitSet spares = new BitSet();
    Map<String, Integer> inRack = new HashMap<>();
    for (int chosen = 0; chosen < count; chosen++) {
      int best = -1;
      for (int n = rackOf.size() - 1; n >= 0; n--) {
        if (!spares.get(n)
            && (best < 0
                || inRack.getOrDefault(rackOf.get(n), 0)
                    < inRack.getOrDefault(rackOf.get(best), 0))) {
          best = n;
        }
      }
      spares.set(best);
      inRack.merge(rackOf.get(best), 1, Integer::sum);
    }
    return spares;
  }
}
