package org.fmi.core.coll;

import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * Scatter directly from the root: each byte moves once. For long blocks, and blocks of different
 * lengths.
 */
final class LinearScatter {
  private LinearScatter() {}

  /** Receives this rank's block from the root. */
  static void receive(Channel channel, Location mine, long bytes, int root) {
    channel.recv(mine, bytes, root);
  }

  /** Sends all blocks at the root except its own, block i from {@code starts[i]} in bytes. */
  static void send(Channel channel, Location all, long[] starts, long[] lengths) {
    int size = channel.size();
    int root = channel.rank();
    @Nullable Request[] sends = new Request[size];
    for (int i = 0; i < size; i++) {
      if (i != root) {
        sends[i] = channel.isend(all.plus(starts[i]), lengths[i], i);
      }
    }
    Request.waitAll(sends);
  }
}
