package org.fmi.core.coll;

/**
 * Barrier by dissemination (Hensgen, Finkel and Manber 1988): in step k each rank signals the rank
 * 2^k further on. After ceil(log2 N) steps each rank has heard from all ranks, directly or
 * indirectly.
 */
final class DisseminationBarrier {
  private DisseminationBarrier() {}

  static void run(Channel channel) {
    for (int distance = 1; distance < channel.size(); distance <<= 1) {
      channel.signal(channel.neighbour(distance), channel.neighbour(-distance));
    }
  }
}
