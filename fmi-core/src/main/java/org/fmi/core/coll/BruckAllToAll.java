package org.fmi.core.coll;

/**
 * All-to-all of Bruck et al. (1997): in step k each rank sends all blocks whose distance has bit k
 * set to the rank 2^k further on, in one message. For short blocks.
 */
final class BruckAllToAll {
  private BruckAllToAll() {}

  static void run(Channel channel, Location out, Location in, long bytes) {
    int size = channel.size();
    int rank = channel.rank();
    Location work = in.scratch(size * bytes); // block i has i ranks to go, or is from rank - i
    out.plus(rank * bytes).copyTo(work, (size - rank) * bytes);
    out.copyTo(work.plus((size - rank) * bytes), rank * bytes);
    Location packed = in.scratch((size + 1L) / 2 * bytes);
    Location received = in.scratch((size + 1L) / 2 * bytes);
    for (int mask = 1; mask < size; mask <<= 1) {
      long n = 0;
      for (int i = mask; i < size; i++) {
        if ((i & mask) != 0) {
          work.plus(i * bytes).copyTo(packed.plus(n), bytes);
          n += bytes;
        }
      }
      channel.exchange(packed, n, channel.neighbour(mask), received, n, channel.neighbour(-mask));
      n = 0;
      for (int i = mask; i < size; i++) {
        if ((i & mask) != 0) {
          received.plus(n).copyTo(work.plus(i * bytes), bytes);
          n += bytes;
        }
      }
    }
    for (int i = 0; i < size; i++) {
      work.plus(i * bytes).copyTo(in.plus(channel.neighbour(-i) * bytes), bytes);
    }
  }
}
