package org.fmi.run.flush;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.fmi.spi.PinnedImage;

/**
 * Reads an image that a rank keeps in node memory. Each block is copied and then compared with its
 * checksum: what is given was the image's content, even if the piece is written to meanwhile.
 */
final class PieceChannel implements ReadableByteChannel {
  private static final int MOST_BLOCK_BYTES = 16 << 20;

  private final FileChannel from;
  private final int rank;
  private final PinnedImage image;
  private final Pace pace;
  private final CRC32C crc = new CRC32C();

  /** Given back at once, not when the collector finds it. */
  private final Arena memory = Arena.ofConfined();

  /** What does not fit into the reader's buffer. */
  private ByteBuffer block = ByteBuffer.allocate(0);

  private int next;
  private long read;

  PieceChannel(Path directory, int rank, PinnedImage image, Pace pace) throws IOException {
    this.from = FileChannel.open(directory.resolve(image.piece()), StandardOpenOption.READ);
    this.rank = rank;
    this.image = image;
    this.pace = pace;
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    if (!block.hasRemaining()) {
      if (next == image.lengths().length) {
        return -1;
      }
      int bytes = image.lengths()[next];
      if (bytes <= 0 || bytes > MOST_BLOCK_BYTES) {
        throw new IOException("a block of " + bytes + " bytes in the memory of rank " + rank);
      }
      pace.take(bytes);
      if (bytes <= to.remaining() && read + bytes <= image.bytes()) {
        copy(to.slice(to.position(), bytes));
        to.position(to.position() + bytes);
        return bytes;
      }
      fill(bytes);
    }
    int bytes = Math.min(to.remaining(), block.remaining());
    to.put(block.slice(block.position(), bytes));
    block.position(block.position() + bytes);
    return bytes;
  }

  private void fill(int bytes) throws IOException {
    if (block.capacity() < bytes) {
      block = memory.allocate(bytes).asByteBuffer();
    }
    block.clear().limit(bytes);
    copy(block.duplicate());
    // The last block may reach beyond the image.
    if (read > image.bytes()) {
      block.limit((int) (bytes - (read - image.bytes())));
    }
  }

  /** Copies the next block, and compares the copy. */
  private void copy(ByteBuffer to) throws IOException {
    int bytes = to.remaining();
    while (to.hasRemaining()) {
      if (from.read(to, image.at() + read + to.position()) < 0) {
        throw new EOFException("the memory of rank " + rank + " ends too early");
      }
    }
    crc.reset();
    crc.update(to.flip());
    if ((int) crc.getValue() != image.sums()[next]) {
      throw new IOException(
          "the image of rank "
              + rank
              + " has changed in memory: it was damaged, or memory is short and was used again");
    }
    next++;
    read += bytes;
  }

  @Override
  public boolean isOpen() {
    return from.isOpen();
  }

  @Override
  public void close() throws IOException {
    try (memory) {
      from.close();
    }
  }
}
