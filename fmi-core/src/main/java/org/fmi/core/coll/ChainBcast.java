package org.fmi.core.coll;

import org.jspecify.annotations.Nullable;

/**
 * Broadcast down a chain of all ranks, in pieces: each rank forwards one piece while it receives
 * the next. The message passes through each rank once, but the last rank gets it N-2 pieces later.
 * For messages of at least as many pieces as ranks.
 */
final class ChainBcast {
  private ChainBcast() {}

  static void run(Channel channel, Location data, long bytes, int root) {
    int v = channel.neighbour(-root);
    Pipeline.@Nullable Incoming in = null;
    if (v > 0) {
      in = new Pipeline.Incoming(channel, data, bytes, channel.neighbour(-1));
    }
    Pipeline.@Nullable Outgoing out = null;
    if (v < channel.size() - 1) {
      out = new Pipeline.Outgoing(channel, data, bytes, channel.neighbour(1));
    }
    for (long at = 0; at < bytes; at += Pipeline.BYTES) {
      if (in != null) {
        in.await();
      }
      if (out != null) {
        out.send();
      }
    }
    if (out != null) {
      out.finish();
    }
  }
}
