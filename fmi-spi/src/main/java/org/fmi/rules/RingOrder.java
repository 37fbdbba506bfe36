package org.fmi.rules;

import java.util.Random;

/** The places of a job's ranks in a ring, which all ranks compute alike. */
public final class RingOrder {
  private final int[] ranks;
  private final int[] positions;

  private RingOrder(int[] ranks) {
    this.ranks = ranks;
    this.positions = new int[ranks.length];
    for (int position = 0; position < ranks.length; position++) {
      positions[ranks[position]] = position;
    }
  }

  /** The ranks in their own order. */
  public static RingOrder ascending(int size) {
    int[] ranks = new int[size];
    for (int rank = 0; rank < size; rank++) {
      ranks[rank] = rank;
    }
    return new RingOrder(ranks);
  }

  /** The ranks in random order, so that ranks of a node are rarely adjacent. */
  public static RingOrder shuffled(int size, long seed) {
    int[] ranks = ascending(size).ranks;
    Random random = new Random(seed);
    for (int last = size - 1; last > 0; last--) {
      int other = random.nextInt(last + 1);
      int moved = ranks[last];
      ranks[last] = ranks[other];
      ranks[other] = moved;
    }
    return new RingOrder(ranks);
  }

  /** A seed from a job's id, for {@link #shuffled}. */
  public static long seed(String job) {
    long seed = 0;
    for (int i = 0; i < job.length(); i++) {
      seed = 31 * seed + job.charAt(i);
    }
    return seed;
  }

  public int size() {
    return ranks.length;
  }

  public int position(int rank) {
    return positions[rank];
  }

  /** The rank at a position, which is counted round the ring in either direction. */
  public int rank(int position) {
    return ranks[Math.floorMod(position, ranks.length)];
  }
}
