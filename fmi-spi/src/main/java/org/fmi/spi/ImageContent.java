package org.fmi.spi;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A checkpoint's image, read from its beginning to its end. Who gives it compares it with its
 * checksums: they serve whoever takes it too.
 */
public interface ImageContent extends Closeable {
  /** Where an image comes from. */
  interface Source {
    /**
     * Opens it, to be read from its beginning.
     *
     * @throws IOException if that is impossible; the message names the file
     */
    ImageContent open() throws IOException;
  }

  /**
   * Puts the next bytes into a buffer that has room for one at least. Only when all of a block was
   * given, it has been compared with its checksum.
   *
   * @return how many; -1 if there are none left
   * @throws IOException if they are not what was written; the message names the file
   */
  int read(ByteBuffer to) throws IOException;

  /** CRC32C of the bytes that the last {@link #read} has given. */
  int sum();
}
