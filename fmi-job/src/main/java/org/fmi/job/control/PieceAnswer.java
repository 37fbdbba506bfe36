package org.fmi.job.control;

import java.util.zip.CRC32C;
import org.fmi.codec.Tag;
import org.fmi.codec.Wire;

/** The answer to a {@link PieceQuestion}. */
@Wire
public sealed interface PieceAnswer {
  /**
   * The bytes.
   *
   * @param crc their CRC32C
   */
  @Tag(1)
  record Found(byte[] bytes, int crc) implements PieceAnswer {
    /** An answer with the checksum of these bytes. */
    public static Found of(byte[] bytes) {
      return new Found(bytes, crc(bytes));
    }

    /** Whether the bytes match the checksum. */
    public boolean isIntact() {
      return crc == crc(bytes);
    }

    private static int crc(byte[] bytes) {
      CRC32C crc = new CRC32C();
      crc.update(bytes);
      return (int) crc.getValue();
    }
  }

  /** The part is not on the node, or damaged. */
  @Tag(2)
  record Missing() implements PieceAnswer {}
}
