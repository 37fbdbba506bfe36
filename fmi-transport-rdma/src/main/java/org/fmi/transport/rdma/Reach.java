package org.fmi.transport.rdma;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.fmi.verbs.RdmaEndpoint;

/**
 * The pairs of ranks that use RDMA in a job with more ranks than a device's connections. Each end
 * must have room for the other, without asking it, so the rule depends only on the two ranks and on
 * both devices' capacity, which each end knows. Adjacent ranks use RDMA, and ranks whose distance
 * is a power of two, as in trees.
 *
 * <p>A rank whose device lacks room for all ranks appends its capacity to its address.
 */
final class Reach {
  private static final int SHORT_ADDRESS = RdmaEndpoint.NONCE_BYTES + Short.BYTES + 4;
  private static final int LONG_ADDRESS = RdmaEndpoint.NONCE_BYTES + Short.BYTES + 16;

  private Reach() {}

  /** The published address of a rank in a job of this size. */
  static byte[] publish(RdmaEndpoint endpoint, int connections, int size) {
    byte[] address = endpoint.bytes();
    return connections >= size - 1
        ? address
        : ByteBuffer.allocate(address.length + Integer.BYTES)
            .put(address)
            .putInt(connections)
            .array();
  }

  private static boolean isForAll(byte[] published) {
    return published.length == SHORT_ADDRESS || published.length == LONG_ADDRESS;
  }

  /**
   * The address in a published one.
   *
   * @throws IllegalArgumentException if it is not a published address
   */
  static RdmaEndpoint endpoint(byte[] published) {
    return RdmaEndpoint.of(
        isForAll(published)
            ? published
            : Arrays.copyOf(published, Math.max(0, published.length - Integer.BYTES)));
  }

  /** The most connections of a rank; unlimited if it may connect to all ranks. */
  static int connections(byte[] published) {
    return isForAll(published)
        ? Integer.MAX_VALUE
        : ByteBuffer.wrap(published).getInt(published.length - Integer.BYTES);
  }

  /**
   * Whether two ranks of a job of this size use RDMA with each other.
   *
   * @param connections the least of both ranks' capacities
   */
  static boolean between(int one, int other, int size, int connections) {
    if (connections >= size - 1) {
      return true;
    }
    int onward = Math.floorMod(other - one, size);
    int back = size - onward;
    int far = 2 * (Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
    boolean hasFar = connections >= far;
    int near = (hasFar ? connections - far : connections) / 2;
    return Math.min(onward, back) <= near
        || (hasFar && (Integer.bitCount(onward) == 1 || Integer.bitCount(back) == 1));
  }
}
