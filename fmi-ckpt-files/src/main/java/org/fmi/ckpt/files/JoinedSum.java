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

  private static final int ONE = 1 << 31;
  private static final int X_TO_THE_8TH = 1 << 23;

  private JoinedSum() {}

  /**
   * @param first of the bytes before
   * @param second of the bytes behind
   * @param secondBytes how many those are
   */
  public static int of(int first, int second, long secondBytes) {
    int shift = ONE;
    int power = X_TO_THE_8TH;
    for (long left = secondBytes; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        shift = times(shift, power);
      }
      power = times(power, power);
    }
    return times(first, shift) ^ second;
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
