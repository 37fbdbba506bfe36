package org.fmi.spi;

/**
 * The addresses of an epoch's ranks for one transport. There may be very many ranks, and most pairs
 * never communicate: callers look up an address when they need it, and store no list.
 */
public interface Endpoints {
  /** The number of ranks. */
  int size();

  /** The endpoint of a rank; empty if it cannot be reached by this transport. */
  byte[] get(int rank);

  /** Whether a rank can be reached by this transport. */
  default boolean has(int rank) {
    return get(rank).length > 0;
  }

  /** The given endpoints, by rank. */
  static Endpoints of(byte[]... byRank) {
    byte[][] all = byRank.clone();
    return new Endpoints() {
      @Override
      public int size() {
        return all.length;
      }

      @Override
      public byte[] get(int rank) {
        return all[rank];
      }
    };
  }
}
