package org.fmi.core.coll;

/**
 * Barrier by dissemination (Hensgen, Finkel and Manber 1988): in step k each rank signals the one
 * 2^k further on; after ceil(log2 N) steps each has heard, directly or not, from all.
 */
final class DisseminationBarrier {
  private DisseminationBarrier() {}

  static void run(Channel channel) {
    for (int distance = 1; distance < channel.size(); distance <<= 1) {
      channel.signal(channel.neighbour(distance), channel.neighbour(-distance));
    }
  }
}
