package org.fmi.spi;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A checkpoint's image, read sequentially. The source compares it with its checksums, and passes
 * them on for the reader's use.
 */
public interface ImageContent extends Closeable {
  /** The source of an image. */
  interface Source {
    /**
     * Opens the image, to be read from its beginning.
     *
     * @throws IOException if it cannot be opened; the message names the file
     */
    ImageContent open() throws IOException;
  }

  /**
   * Puts the next bytes into a buffer with room for at least one byte. A block has been compared
   * with its checksum only after its last byte was returned.
   *
   * @return the number of bytes; -1 at the end
   * @throws IOException if they are not the bytes that were written; the message names the file
   */
  int read(ByteBuffer to) throws IOException;

  /** The CRC32C of the bytes of the last {@link #read}. */
  int sum();
}
