package org.fmi.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The identity of a rank that connects to another rank, in the {@link Handshake}.
 *
 * <pre>
 *   0       4      8    12               13
 *   +-------+------+----+----------------+---------+-----
 *   | epoch | from | to | purpose length | purpose | job     big endian, texts in UTF-8
 *   +-------+------+----+----------------+---------+-----
 * </pre>
 *
 * @param purpose the content of the connection, e.g. "tcp"
 * @param job the job's id
 * @param from the connecting rank
 * @param to the rank that it wants to reach
 */
public record PeerIdentity(String purpose, String job, int epoch, int from, int to) {

  /**
   * The encoded identity.
   *
   * @throws IllegalArgumentException if purpose and job are too long
   */
  public byte[] bytes() {
    byte[] p = purpose.getBytes(UTF_8);
    byte[] j = job.getBytes(UTF_8);
    int n = 13 + p.length + j.length;
    if (p.length > 255 || n > Handshake.MAX_IDENTITY) {
      throw new IllegalArgumentException("purpose and job too long: " + purpose + ", " + job);
    }
    ByteBuffer all = ByteBuffer.allocate(n).putInt(epoch).putInt(from).putInt(to);
    return all.put((byte) p.length).put(p).put(j).array();
  }

  /** Decodes an identity; null if the bytes are none. */
  public static @Nullable PeerIdentity of(byte[] bytes) {
    try {
      ByteBuffer all = ByteBuffer.wrap(bytes);
      int epoch = all.getInt();
      int from = all.getInt();
      int to = all.getInt();
      byte[] purpose = new byte[all.get() & 0xff];
      all.get(purpose);
      byte[] job = new byte[all.remaining()];
      all.get(job);
      return new PeerIdentity(new String(purpose, UTF_8), new String(job, UTF_8), epoch, from, to);
    } catch (BufferUnderflowException e) {
      return null;
    }
  }
}
