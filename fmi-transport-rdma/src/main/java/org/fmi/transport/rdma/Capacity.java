package org.fmi.transport.rdma;

import java.io.IOException;
import org.fmi.verbs.Verbs;

/**
 * The capacity used of a device. It guarantees that a message always finds a receive buffer, and
 * that completions never overrun their queue: each posted buffer and each work request completes
 * once.
 *
 * @param connections the most connections of a rank
 * @param depth the most outstanding work requests per connection
 */
record Capacity(int connections, int depth) {
  private static final int LEAST_DEPTH = 16;

  /**
   * Chooses one connection per peer if the device allows it; else the most it allows.
   *
   * @throws IOException if it allows none, or too few although all ranks must be reached
   */
  static Capacity of(Verbs.Limits limits, int peers, boolean mustReachAll) throws IOException {
    if (limits.receives() == 0) {
      throw new IOException(
          "rdma: the device has no shared receive queues; use --verbs disni, which needs none, or"
              + " --transport tcp");
    }
    int connections = most(limits, peers);
    if (connections < (mustReachAll ? peers : 1)) {
      throw new IOException(
          "rdma: the device is too small for "
              + peers
              + " peers: "
              + limits
              + "; use --transport tcp");
    }
    int depth = RdmaTransport.DEPTH;
    while (depth > LEAST_DEPTH && !fits(limits, connections, depth)) {
      depth /= 2;
    }
    return new Capacity(connections, depth);
  }

  private static int most(Verbs.Limits limits, int peers) {
    int fits = 0;
    int beyond = peers + 1;
    while (fits + 1 < beyond) {
      int middle = (fits + beyond) >>> 1;
      if (fits(limits, middle, LEAST_DEPTH)) {
        fits = middle;
      } else {
        beyond = middle;
      }
    }
    return fits;
  }

  private static boolean fits(Verbs.Limits limits, int connections, int depth) {
    int buffers = ReceivePool.most(connections);
    return buffers <= limits.receives()
        && depth <= limits.sends()
        && (long) connections * depth + buffers <= limits.completions();
  }

  Verbs.Sizes sizes(int inlineBytes) {
    int buffers = ReceivePool.most(connections);
    return new Verbs.Sizes(
        depth, inlineBytes, buffers, buffers + connections * depth, ReceivePool.IN_FLIGHT);
  }
}
