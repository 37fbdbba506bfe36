package org.fmi.ckpt.files;

/**
 * The CRC32C of two pieces of memory that follow each other, from those of each: so bytes that
 * belong to blocks of two kinds are looked at once.
 *
 * <p>A checksum is a polynomial over GF(2), the remainder of the content divided by a fixed one. To
 * append n bytes multiplies it by x^(8n), and adds the checksum of these bytes. As in CRC32C
 * itself, the highest bit of a number is the coefficient of x^0.
 */
public final class JoinedSum {
  /** What is divided by, without x^32. */
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
   * @param first of the bytes before
   * @param second of the bytes behind
   * @param secondBytes how many those are
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
