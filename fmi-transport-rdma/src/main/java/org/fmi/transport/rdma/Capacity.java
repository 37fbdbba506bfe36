package org.fmi.transport.rdma;

import java.io.IOException;
import org.fmi.verbs.Verbs;

/**
 * What a device has room for, so that no message ever finds a receiver without a buffer, and
 * completions never overrun their queue: each buffer that was posted completes once, each piece of
 * work too.
 *
 * @param connections that a rank may have
 * @param depth work that each of them may have outstanding
 */
record Capacity(int connections, int depth) {
  private static final int LEAST_DEPTH = 16;

  /**
   * As many connections as there are peers, if the device can have them; else as many as it can.
   *
   * @throws IOException if it can have none, or too few where all ranks must be reached
   */
  static Capacity of(Verbs.Limits limits, int peers, boolean mustReachAll) throws IOException {
    if (limits.receives() == 0) {
      throw new IOException(
          "rdma: the device has no shared receive queues; --verbs disni does without, --transport"
              + " tcp too");
    }
    int connections = most(limits, peers);
    if (connections < (mustReachAll ? peers : 1)) {
      throw new IOException(
          "rdma: the device is too small for "
              + peers
              + " peers: "
              + limits
              + "; --transport tcp would help");
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
        depth, inlineBytes, buffers, buffers + connections * depth, ReceivePool.UNDER_WAY);
  }
}
