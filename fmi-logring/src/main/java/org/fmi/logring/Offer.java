package org.fmi.logring;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The addresses at which neighbours may reach a rank, as published to all ranks.
 *
 * <pre>
 *   once for each:  0             1      n + 1             n + 2
 *                   +-------------+------+-----------------+----------+
 *                   | name length | name | endpoint length | endpoint |
 *                   +-------------+------+-----------------+----------+
 * </pre>
 *
 * @param endpoints by the name of the links, best first
 */
record Offer(Map<String, byte[]> endpoints) {

  /**
   * The encoded offer.
   *
   * @throws IllegalArgumentException if a name or an endpoint has more than 255 bytes
   */
  byte[] bytes() {
    ByteBuffer out = ByteBuffer.allocate(endpoints.size() * 2 * 256);
    endpoints.forEach(
        (name, endpoint) -> {
          put(out, name.getBytes(StandardCharsets.UTF_8));
          put(out, endpoint);
        });
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static void put(ByteBuffer out, byte[] part) {
    if (part.length > 255) {
      throw new IllegalArgumentException(part.length + " bytes are too long to be published");
    }
    out.put((byte) part.length).put(part);
  }

  /**
   * Decodes the result of {@link #bytes}.
   *
   * @throws IllegalArgumentException if the bytes are no offer
   */
  static Offer of(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    Map<String, byte[]> endpoints = new LinkedHashMap<>();
    try {
      while (in.hasRemaining()) {
        endpoints.put(new String(get(in), StandardCharsets.UTF_8), get(in));
      }
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("an offer of " + bytes.length + " bytes", e);
    }
    return new Offer(endpoints);
  }

  private static byte[] get(ByteBuffer in) {
    byte[] part = new byte[Byte.toUnsignedInt(in.get())];
    in.get(part);
    return part;
  }

  boolean has(String name) {
    return endpoints.containsKey(name);
  }

  /** The endpoint of a kind of links that it {@link #has}. */
  byte[] endpoint(String name) {
    return Objects.requireNonNull(endpoints.get(name));
  }

  @Override
  public String toString() {
    return endpoints.keySet().toString();
  }
}
