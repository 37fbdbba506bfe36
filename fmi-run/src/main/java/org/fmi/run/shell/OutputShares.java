package org.fmi.run.shell;

import java.util.HashMap;
import java.util.Map;

/**
 * Divides the memory for unwritten output among nodes. The first ones get equal shares; a node that
 * is added later gets what they have left.
 */
final class OutputShares {
  /** All shares together, but for nodes that get the least. */
  static final int ALL_BYTES = 64 << 20;

  static final int MOST_BYTES = 320 << 10;
  static final int LEAST_BYTES = 10 << 10;

  private final Map<Integer, Integer> shares = new HashMap<>();
  private long given;

  /** Returns the share of each of this many nodes. */
  static int equal(int nodes) {
    return Math.clamp(ALL_BYTES / Math.max(1, nodes), LEAST_BYTES, MOST_BYTES);
  }

  /**
   * Returns the share of a node, the same each time.
   *
   * @param nodes the number of nodes now
   */
  int of(int node, int nodes) {
    return shares.computeIfAbsent(
        node,
        _ -> {
          int share = (int) Math.clamp(ALL_BYTES - given, LEAST_BYTES, (long) equal(nodes));
          given += share;
          return share;
        });
  }
}
