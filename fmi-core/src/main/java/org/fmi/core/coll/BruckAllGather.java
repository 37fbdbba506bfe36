package org.fmi.core.coll;

/**
 * Allgather of Bruck et al. (1997): in step k each rank sends all blocks it has to the rank 2^k
 * before it; ceil(log2 N) steps for every N. For short blocks.
 */
final class BruckAllGather {
  private BruckAllGather() {}

  /**
   * Gathers equal blocks.
   *
   * @param mine this rank's block; may be at its place in {@code all}
   */
  static void run(Channel channel, Location mine, long bytes, Location all) {
    int size = channel.size();
    int rank = channel.rank();
    Location found = all.scratch(size * bytes); // block i belongs to rank + i
    mine.copyTo(found, bytes);
    for (int have = 1; have < size; have <<= 1) {
      long part = Math.min(have, size - have) * bytes;
      channel.exchange(
          found,
          part,
          channel.neighbour(-have),
          found.plus(have * bytes),
          part,
          channel.neighbour(have));
    }
    found.copyTo(all.plus(rank * bytes), (size - rank) * bytes);
    found.plus((size - rank) * bytes).copyTo(all, rank * bytes);
  }
}
