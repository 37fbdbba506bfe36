package org.fmi.verbs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The listening address of a rank in one epoch, as published to all ranks.
 *
 * <pre>
 *   0                 16        18
 *   +-----------------+---------+-------------------------+
 *   | nonce           | port    | IP address, 4 or 16     |    big endian
 *   +-----------------+---------+-------------------------+
 * </pre>
 *
 * @param nonce random; a dialler's proof of the secret is valid for this endpoint only
 */
public record RdmaEndpoint(byte[] nonce, InetSocketAddress address) {
  public static final int NONCE_BYTES = 16;

  public byte[] bytes() {
    byte[] ip = address.getAddress().getAddress();
    return ByteBuffer.allocate(NONCE_BYTES + Short.BYTES + ip.length)
        .put(nonce)
        .putShort((short) address.getPort())
        .put(ip)
        .array();
  }

  /**
   * Decodes the result of {@link #bytes}.
   *
   * @throws IllegalArgumentException if the bytes are no endpoint
   */
  public static RdmaEndpoint of(byte[] bytes) {
    if (bytes.length < NONCE_BYTES + Short.BYTES) {
      throw new IllegalArgumentException("an endpoint of " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    byte[] nonce = new byte[NONCE_BYTES];
    in.get(nonce);
    int port = Short.toUnsignedInt(in.getShort());
    byte[] ip = new byte[in.remaining()];
    in.get(ip);
    try {
      return new RdmaEndpoint(nonce, new InetSocketAddress(InetAddress.getByAddress(ip), port));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("an endpoint of " + bytes.length + " bytes", e);
    }
  }
}
