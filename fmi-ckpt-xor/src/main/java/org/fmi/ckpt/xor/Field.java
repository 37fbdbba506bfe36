package org.fmi.ckpt.xor;

/**
 * The field GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1, in which 2 generates all
 * elements except 0. Bytes are its elements, and their sum is XOR.
 */
final class Field {
  private static final int ORDER = 255;
  private static final int POLYNOMIAL = 0x11d;

  private static final long ALL_BUT_HIGHEST = 0x7f7f_7f7f_7f7f_7f7fL;
  private static final long HIGHEST = 0x8080_8080_8080_8080L;
  private static final long REDUCTION = 0x1d1d_1d1d_1d1d_1d1dL;

  private Field() {}

  /** Doubles eight elements at once. */
  static long twice(long x) {
    long high = x & HIGHEST;
    return ((x & ALL_BUT_HIGHEST) << 1) ^ ((high - (high >>> 7)) & REDUCTION);
  }

  static int times(int a, int b) {
    int product = 0;
    int shifted = a;
    for (int rest = b; rest != 0; rest >>>= 1) {
      product ^= (rest & 1) * shifted;
      shifted <<= 1;
      shifted ^= shifted > 255 ? POLYNOMIAL : 0;
    }
    return product;
  }

  /** 2 to a power that is not negative. */
  static int powerOfTwo(int exponent) {
    int power = 1;
    for (int i = 0; i < exponent % ORDER; i++) {
      power = times(power, 2);
    }
    return power;
  }

  /** The inverse of an element that is not 0. */
  static int inverse(int a) {
    assert a != 0;
    int inverse = 1;
    for (int i = 0; i < ORDER - 1; i++) {
      inverse = times(inverse, a);
    }
    return inverse;
  }
}
