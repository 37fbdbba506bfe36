package org.fmi.net;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * Computes HMAC-SHA256 (RFC 2104). Built on {@link MessageDigest} because {@code javax.crypto.Mac}
 * costs a starting process some 80 ms more, and every rank needs a code before its first message.
 */
public final class Hmac {
  static final int BYTES = 32;
  private static final int BLOCK = 64;

  private final byte[] innerPad = new byte[BLOCK];
  private final byte[] outerPad = new byte[BLOCK];

  /**
   * A maker of codes that require knowledge of the key.
   *
   * @throws IllegalArgumentException if the key is longer than a block of 64 bytes
   */
  public Hmac(byte[] key) {
    if (key.length > BLOCK) {
      throw new IllegalArgumentException("key longer than " + BLOCK + " bytes");
    }
    Arrays.fill(innerPad, (byte) 0x36);
    Arrays.fill(outerPad, (byte) 0x5c);
    for (int i = 0; i < key.length; i++) {
      innerPad[i] ^= key[i];
      outerPad[i] ^= key[i];
    }
  }

  /** The 32-byte code over the concatenated parts. */
  public byte[] over(byte[]... parts) {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    sha256.update(innerPad);
    for (byte[] part : parts) {
      sha256.update(part);
    }
    byte[] inner = sha256.digest();
    sha256.update(outerPad);
    return sha256.digest(inner);
  }
}
