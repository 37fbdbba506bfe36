package org.fmi.verbs.disni;

/**
 * The id of a work request. When work has failed, DiSNI reports only its id.
 *
 * <pre>
 *   63 62            40 39        20   19    18      0
 *   0   generation        place      receive  slot
 * </pre>
 *
 * The place belongs to the connection. Later connections reuse it, and the generation distinguishes
 * them.
 */
final class WorkId {
  static final int MOST_SLOTS = 1 << 19;
  static final int MOST_PLACES = 1 << 20;

  private static final int PLACE_SHIFT = 20;
  private static final int GENERATION_SHIFT = 40;
  private static final int MOST_GENERATIONS = 1 << 23;
  private static final long RECEIVE = 1L << 19;

  private WorkId() {}

  /** The id of a connection's first send. */
  static long of(int place, int generation) {
    return (long) (generation & (MOST_GENERATIONS - 1)) << GENERATION_SHIFT
        | (long) place << PLACE_SHIFT;
  }

  static long send(long connection, int slot) {
    return connection | slot;
  }

  static long receive(long connection, int slot) {
    return connection | RECEIVE | slot;
  }

  /** The result of {@link #of} for this connection. */
  static long connection(long id) {
    return id & -(1L << PLACE_SHIFT);
  }

  static int place(long id) {
    return (int) (id >>> PLACE_SHIFT) & (MOST_PLACES - 1);
  }

  static boolean isReceive(long id) {
    return (id & RECEIVE) != 0;
  }

  static int slot(long id) {
    return (int) id & (MOST_SLOTS - 1);
  }
}
