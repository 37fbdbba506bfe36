package org.fmi.core.coll;

/**
 * Reduces N ranks to the largest power of two P <= N, for algorithms that need one: the first 2 (N
 * - P) ranks form pairs of neighbours, and one of each pair acts for both (MPICH, Rabenseifner).
 * Order is preserved: all ranks of virtual rank v are below all ranks of v + 1.
 */
final class PowerOfTwoFold {
  private final int rank;
  private final int size;
  private final int pairs;
  private final int preferred;

  /**
   * A fold.
   *
   * @param preferred a rank that must act for its pair; -1 if none must, then the upper one acts
   */
  PowerOfTwoFold(Channel channel, int preferred) {
    this.rank = channel.rank();
    this.size = Integer.highestOneBit(channel.size());
    this.pairs = channel.size() - size;
    this.preferred = preferred;
  }

  /** The number of virtual ranks, a power of two. */
  int size() {
    return size;
  }

  /** Whether this rank is one of a pair. */
  boolean paired() {
    return rank < 2 * pairs;
  }

  /** The other rank of the pair. */
  int partner() {
    return rank ^ 1;
  }

  /** Whether this rank acts, for itself or for its pair. */
  boolean acts() {
    return actor(virtual()) == rank;
  }

  /** The virtual rank of this rank or its pair. */
  int virtual() {
    return virtual(rank);
  }

  int virtual(int r) {
    return r < 2 * pairs ? r / 2 : r - pairs;
  }

  /** The rank that acts as virtual rank {@code v}. */
  int actor(int v) {
    if (v >= pairs) {
      return v + pairs;
    }
    return preferred == 2 * v ? preferred : 2 * v + 1;
  }

  /**
   * The first rank that virtual rank {@code v} stands for; for {@link #size()} the number of ranks.
   */
  int first(int v) {
    return v < pairs ? 2 * v : v + pairs;
  }

  /**
   * Combines each pair's data at its acting rank.
   *
   * @param data this rank's vector; at an acting rank, the pair's afterwards
   * @param spare scratch of the same size
   * @return whether this rank acts
   */
  boolean fold(Channel channel, Reducer reducer, Location data, Location spare, long bytes) {
    if (!acts()) {
      channel.send(data, bytes, partner());
      return false;
    }
    if (paired()) {
      channel.recv(spare, bytes, partner());
      reducer.combine(spare, data, bytes);
    }
    return true;
  }
}
