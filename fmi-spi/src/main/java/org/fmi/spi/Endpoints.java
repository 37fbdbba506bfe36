package org.fmi.spi;

/**
 * Where the ranks of an epoch can be reached in one way. There may be very many of them, and most
 * never speak to each other: whoever needs one asks for it then, and keeps no list of all.
 */
public interface Endpoints {
  /** How many ranks there are. */
  int size();

  /** The endpoint of a rank; no bytes if it cannot be reached in this way. */
  byte[] get(int rank);

  /** Whether a rank can be reached in this way. */
  default boolean has(int rank) {
    return get(rank).length > 0;
  }

  /** Those of a few ranks, by rank. */
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
