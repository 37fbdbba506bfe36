package org.fmi.core.coll;

import org.fmi.FmiException;
import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * Gather directly to the root: each byte moves once. For long blocks, and blocks of different
 * lengths.
 */
final class LinearGather {
  private LinearGather() {}

  /** Sends this rank's block to the root. */
  static void send(Channel channel, Location mine, long bytes, int root) {
    channel.send(mine, bytes, root);
  }

  /** Receives all blocks at the root except its own, block i to {@code starts[i]} in bytes. */
  static void receive(Channel channel, Location all, long[] starts, long[] lengths) {
    int size = channel.size();
    int root = channel.rank();
    @Nullable Request[] receives = new Request[size];
    for (int i = 0; i < size; i++) {
      if (i != root) {
        receives[i] = channel.irecv(all.plus(starts[i]), lengths[i], i);
      }
    }
    FmiException truncated = null;
    for (int i = 0; i < size; i++) {
      Request receive = receives[i];
      if (receive != null) {
        try {
          channel.complete(receive, all.plus(starts[i]), lengths[i]);
        } catch (FmiException e) {
          truncated = Channel.truncated(e, truncated); // the other senders wait for this rank
        }
      }
    }
    if (truncated != null) {
      throw truncated;
    }
  }
}
