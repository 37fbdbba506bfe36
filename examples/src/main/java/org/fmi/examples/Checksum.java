package org.fmi.examples;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of numbers: two results with the same one are taken to be the same, bit for bit. */
public final class Checksum {
  private static final int PIECE = 1024;

  private Checksum() {}

  /** The checksum of all elements, in their order. */
  public static long of(double[] values) {
    CRC32C crc = new CRC32C();
    ByteBuffer piece = ByteBuffer.allocate(Double.BYTES * PIECE);
    for (int begin = 0; begin < values.length; begin += PIECE) {
      int count = Math.min(PIECE, values.length - begin);
      piece.asDoubleBuffer().put(values, begin, count);
      crc.update(piece.array(), 0, Double.BYTES * count);
    }
    return crc.getValue();
  }
}
