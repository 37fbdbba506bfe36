package org.fmi.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A listening address, as published to peers.
 *
 * @param host the name or address under which peers reach it. The peers resolve it, as a name may
 *     have another meaning on its own machine.
 */
public record Endpoint(String host, int port) {

  /** The encoded form: two bytes of port, big endian, then the host in UTF-8. */
  public byte[] bytes() {
    byte[] name = host.getBytes(UTF_8);
    return ByteBuffer.allocate(2 + name.length).putShort((short) port).put(name).array();
  }

  /**
   * Decodes the result of {@link #bytes}.
   *
   * @throws IllegalArgumentException if the bytes are no endpoint
   */
  public static Endpoint of(byte[] bytes) {
    if (bytes.length < 3) {
      throw new IllegalArgumentException("endpoint of " + bytes.length + " bytes");
    }
    int port = (bytes[0] & 0xff) << 8 | (bytes[1] & 0xff);
    return new Endpoint(new String(bytes, 2, bytes.length - 2, UTF_8), port);
  }

  /** The address to connect to. */
  public InetSocketAddress address() throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }

  /**
   * The address to listen at, with any free port, so that peers reach it as {@code host}: that
   * address, if it is one of this machine's; all interfaces if it is a name, which often resolves
   * to the loopback on the node itself, or an address that only others know it by.
   *
   * @throws IOException if the machine's interfaces cannot be read
   */
  public static InetSocketAddress listening(String host) throws IOException {
    InetAddress own = host.equals("localhost") ? InetAddress.getByName(host) : own(host);
    return own == null ? new InetSocketAddress(0) : new InetSocketAddress(own, 0);
  }

  private static @Nullable InetAddress own(String host) throws IOException {
    InetAddress literal;
    try {
      literal = InetAddress.ofLiteral(host);
    } catch (IllegalArgumentException e) {
      return null; // a name
    }
    boolean own = literal.isLoopbackAddress() || NetworkInterface.getByInetAddress(literal) != null;
    return own ? literal : null;
  }
}
