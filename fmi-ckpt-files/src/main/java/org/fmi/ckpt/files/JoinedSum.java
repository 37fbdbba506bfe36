package org.fmi.ckpt.files;

/**
 * Computes the CRC32C of two adjacent pieces of memory from the CRC32C of each, so that bytes that
 * belong to two kinds of blocks are read only once.
 *
 * <p>A checksum is a polynomial over GF(2): the remainder of the content divided by a fixed
 * polynomial. Appending n bytes multiplies it by x^(8n), and adds the checksum of these bytes. As
 * in CRC32C itself, the highest bit of a number is the coefficient of x^0.
 */
public final class JoinedSum {
  /** The divisor, without x^32. */
  private static final int DIVISOR = 0x82f63b78;

  private static final int X_TO_THE_8TH = 1 << 23;

  /** x^8 to the power of 2^i. */
  private static final int[] POWERS = new int[Long.SIZE - 1];

  static {
    int power = X_TO_THE_8TH;
    for (int i = 0; i < POWERS.length; i++) {
      POWERS[i] = power;
      power = times(power, power);
    }
  }

  private JoinedSum() {}

  /**
   * @param first the checksum of the first piece
   * @param second the checksum of the second piece
   * @param secondBytes the length of the second piece
   */
  public static int of(int first, int second, long secondBytes) {
    int shifted = first;
    for (long left = secondBytes; left != 0; left &= left - 1) {
      shifted = times(shifted, POWERS[Long.numberOfTrailingZeros(left)]);
    }
    return shifted ^ second;
  }

  private static int times(int a, int b) {
    int product = 0;
    int power = b; // b x^i
    for (int i = 31; i >= 0; i--) {
      product ^= power & -((a >>> i) & 1);
      power = (power >>> 1) ^ (DIVISOR & -(power & 1));
    }
    return product;
  }
}
