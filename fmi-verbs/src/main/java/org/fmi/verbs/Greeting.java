package org.fmi.verbs;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The authentication of two ranks before a connection is open, in the 56 bytes that the connection
 * manager carries. Each rank proves that it knows the job's secret, by an HMAC over job, epoch,
 * both ranks, the listener's nonce, the dialler's nonce, and its own role.
 *
 * <pre>
 *   request   0        4      8      12      16        20       28                 56
 *             +--------+------+------+-------+---------+--------+------------------+
 *             | magic  | from | to   | epoch | credits | nonce  | proof            |  little endian
 *             +--------+------+------+-------+---------+--------+------------------+
 *   answer    0        4         8                  36
 *             +--------+---------+------------------+
 *             | magic  | credits | proof            |
 *             +--------+---------+------------------+
 *   refusal   0        4      8
 *             +--------+------+
 *             | magic  | code |
 *             +--------+------+
 * </pre>
 *
 * An intercepted request is useless to others: its proof is valid for one endpoint of one epoch,
 * which accepts each request once.
 */
public final class Greeting {
  public static final int REQUEST_BYTES = 56;

  private static final int MAGIC = 0x314d4652; // RFM1
  private static final int PROOF_BYTES = 28;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;
  private final String job;
  private final int epoch;

  public Greeting(byte[] secret, String job, int epoch) {
    this.key = new SecretKeySpec(secret, ALGORITHM);
    this.job = job;
    this.epoch = epoch;
  }

  /**
   * The request of a dialling rank.
   *
   * @param credits the number of frames that the other side may send at once
   * @param nonce the dialler's nonce
   */
  public record Request(int from, int to, int credits, long nonce) {}

  public byte[] request(Request r, byte[] listener) {
    return buffer(REQUEST_BYTES)
        .putInt(MAGIC)
        .putInt(r.from)
        .putInt(r.to)
        .putInt(epoch)
        .putInt(r.credits)
        .putLong(r.nonce)
        .put(proof("dials", r, r.credits, listener), 0, PROOF_BYTES)
        .array();
  }

  /**
   * Decodes a request from an unknown sender.
   *
   * @return null if it is no request of this job and epoch
   */
  public @Nullable Request request(byte[] bytes, byte[] listener) {
    if (bytes.length < REQUEST_BYTES) {
      return null;
    }
    ByteBuffer in = wrap(bytes);
    if (in.getInt() != MAGIC) {
      return null;
    }
    int from = in.getInt();
    int to = in.getInt();
    int theirEpoch = in.getInt();
    Request r = new Request(from, to, in.getInt(), in.getLong());
    // Compared last and always, so that timing reveals nothing.
    boolean proven = proven(in, proof("dials", r, r.credits, listener));
    return proven && theirEpoch == epoch ? r : null;
  }

  public byte[] answer(Request r, int credits, byte[] listener) {
    return buffer(2 * Integer.BYTES + PROOF_BYTES)
        .putInt(MAGIC)
        .putInt(credits)
        .put(proof("listens", r, credits, listener), 0, PROOF_BYTES)
        .array();
  }

  /**
   * Decodes the answer to a request.
   *
   * @return the credits; -1 if it is no valid answer
   */
  public int answered(byte[] bytes, Request r, byte[] listener) {
    try {
      ByteBuffer in = wrap(bytes);
      if (in.getInt() != MAGIC) {
        return -1;
      }
      int credits = in.getInt();
      return proven(in, proof("listens", r, credits, listener)) ? credits : -1;
    } catch (BufferUnderflowException e) {
      return -1;
    }
  }

  public static byte[] refusal(int code) {
    return buffer(2 * Integer.BYTES).putInt(MAGIC).putInt(code).array();
  }

  /** The code of a refusal; 0 if it is not one of FMI's. */
  public static int refused(byte[] bytes) {
    ByteBuffer in = wrap(bytes);
    return bytes.length >= 2 * Integer.BYTES && in.getInt() == MAGIC ? in.getInt() : 0;
  }

  private byte[] proof(String role, Request r, int credits, byte[] listener) {
    byte[] name = job.getBytes(StandardCharsets.UTF_8);
    byte[] purpose = ("fmi rdma 1 " + role).getBytes(StandardCharsets.UTF_8);
    ByteBuffer text =
        buffer(purpose.length + name.length + listener.length + 7 * Integer.BYTES + Long.BYTES);
    text.putInt(purpose.length).put(purpose).putInt(name.length).put(name);
    text.putInt(epoch).putInt(r.from).putInt(r.to).putInt(credits).putLong(r.nonce);
    text.putInt(listener.length).put(listener);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(text.flip());
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private static boolean proven(ByteBuffer in, byte[] expected) {
    byte[] theirs = new byte[PROOF_BYTES];
    in.get(theirs);
    byte[] ours = Arrays.copyOf(expected, PROOF_BYTES);
    return MessageDigest.isEqual(ours, theirs);
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteBuffer wrap(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
