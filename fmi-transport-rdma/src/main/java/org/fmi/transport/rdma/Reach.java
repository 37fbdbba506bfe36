package org.fmi.transport.rdma;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.fmi.verbs.RdmaEndpoint;

/**
 * Which ranks speak RDMA with each other in a job of more of them than a device can have
 * connections to. Each end must have room for the other one, and neither is asked when it has none
 * left: so that follows from the two ranks and from what both devices have room for, which each end
 * knows. Those do that are next to each other, and those whose distance is a power of two, as along
 * trees.
 *
 * <p>A rank whose device has not room for all says so behind its address.
 */
final class Reach {
  private static final int SHORT_ADDRESS = RdmaEndpoint.NONCE_BYTES + Short.BYTES + 4;
  private static final int LONG_ADDRESS = RdmaEndpoint.NONCE_BYTES + Short.BYTES + 16;

  private Reach() {}

  /** What is published of a rank in a job of this size. */
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
   * Where a rank listens.
   *
   * @throws IllegalArgumentException if that was not published
   */
  static RdmaEndpoint endpoint(byte[] published) {
    return RdmaEndpoint.of(
        isForAll(published)
            ? published
            : Arrays.copyOf(published, Math.max(0, published.length - Integer.BYTES)));
  }

  /** How many connections a rank may have; very many if it may have one to each other rank. */
  static int connections(byte[] published) {
    return isForAll(published)
        ? Integer.MAX_VALUE
        : ByteBuffer.wrap(published).getInt(published.length - Integer.BYTES);
  }

  /**
   * Whether two ranks of a job of this size speak RDMA.
   *
   * @param connections that each of the two may have; a rank speaks RDMA with no more
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
