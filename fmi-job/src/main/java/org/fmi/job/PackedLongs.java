package org.fmi.job;

import java.util.Arrays;

/**
 * A growing sequence of longs, as bytes. Each half of a number is stored as its difference from
 * that of the number before the last one, in a varint: determinants are mostly pairs, of which one
 * part counts and the other one repeats.
 */
final class PackedLongs {
  private static final int INITIAL_BYTES = 32;

  /** Maximum bytes of a number: two halves of five groups of seven bits. */
  private static final int MOST_BYTES = 10;

  private byte[] bytes = new byte[INITIAL_BYTES];
  private int used;
  private int length;

  /** The last two numbers. */
  private long last;

  private long secondLast;

  /** Number of longs. */
  int length() {
    return length;
  }

  /** The memory that it takes, in bytes. */
  int capacity() {
    return bytes.length;
  }

  /** Appends some numbers of an array. */
  void append(long[] values, int from, int to) {
    for (int i = from; i < to; i++) {
      append(values[i]);
    }
  }

  private void append(long value) {
    if (bytes.length - used < MOST_BYTES) {
      bytes = Arrays.copyOf(bytes, bytes.length + bytes.length / 2);
    }
    put((int) (value >> Integer.SIZE) - (int) (secondLast >> Integer.SIZE));
    put((int) value - (int) secondLast);
    secondLast = last;
    last = value;
    length++;
  }

  private void put(int difference) {
    int rest = difference << 1 ^ difference >> 31; // small if the difference is, of either sign
    while ((rest & ~0x7f) != 0) {
      bytes[used++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[used++] = (byte) rest;
  }

  /** Returns all numbers. */
  long[] toArray() {
    long[] values = new long[length];
    int at = 0;
    for (int i = 0; i < length; i++) {
      long before = i < 2 ? 0 : values[i - 2];
      long value = 0;
      for (int shift = Integer.SIZE; shift >= 0; shift -= Integer.SIZE) {
        int coded = 0;
        int bits = 0;
        byte group;
        do {
          group = bytes[at++];
          coded |= (group & 0x7f) << bits;
          bits += 7;
        } while (group < 0);
        int half = (int) (before >> shift) + (coded >>> 1 ^ -(coded & 1));
        value |= (half & 0xffff_ffffL) << shift;
      }
      values[i] = value;
    }
    return values;
  }
}
