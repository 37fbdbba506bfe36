package org.fmi.run.flush;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.fmi.ckpt.files.JoinedSum;
import org.fmi.spi.ImageContent;
import org.fmi.spi.PinnedImage;

/**
 * An image that a rank has pinned in node memory. Returns a copy, and compares each block of the
 * copy with its checksum: so it was the image's content, even if the piece is overwritten in the
 * meantime.
 */
final class PieceContent implements ImageContent {
  private static final int MOST_BLOCK_BYTES = 16 << 20;

  private final FileChannel from;
  private final int rank;
  private final PinnedImage image;
  private final Pace pace;
  private final CRC32C crc = new CRC32C();
  private long read;

  /** The block being read. */
  private int block;

  /** The part of it that was read. */
  private int done;

  /** The checksum of that part. */
  private int blockSum;

  /** The checksum of the last bytes returned. */
  private int sum;

  PieceContent(Path directory, int rank, PinnedImage image, Pace pace) throws IOException {
    this.from = FileChannel.open(directory.resolve(image.piece()), StandardOpenOption.READ);
    this.rank = rank;
    this.image = image;
    this.pace = pace;
  }

  /**
   * Returns no more than the rest of a block.
   *
   * @throws IOException if a block has changed; all but its last bytes may have been returned
   */
  @Override
  public int read(ByteBuffer to) throws IOException {
    if (block == image.lengths().length || read >= image.bytes()) {
      return -1;
    }
    int length = image.lengths()[block];
    if (length <= 0 || length > MOST_BLOCK_BYTES) {
      throw new IOException("a block of " + length + " bytes in the memory of rank " + rank);
    }
    int bytes = (int) Math.min(Math.min(to.remaining(), length - done), image.bytes() - read);
    pace.take(bytes);
    sum = copy(to.slice(to.position(), bytes));
    to.position(to.position() + bytes);
    if (read == image.bytes() && done < length) {
      copy(ByteBuffer.allocate(length - done)); // the last block may extend beyond the image
    }
    if (done == length) {
      compare();
    }
    return bytes;
  }

  /** Fills a buffer with the next bytes of the block; returns their checksum. */
  private int copy(ByteBuffer to) throws IOException {
    int bytes = to.remaining();
    // Blocks are adjacent.
    long at = image.at() + read;
    while (to.hasRemaining()) {
      if (from.read(to, at + to.position()) < 0) {
        throw new EOFException("the memory of rank " + rank + " ends too early");
      }
    }
    crc.reset();
    crc.update(to.flip());
    int copied = (int) crc.getValue();
    blockSum = done == 0 ? copied : JoinedSum.of(blockSum, copied, bytes);
    done += bytes;
    read += bytes;
    return copied;
  }

  private void compare() throws IOException {
    if (blockSum != image.sums()[block]) {
      throw new IOException(
          "the image of rank "
              + rank
              + " has changed in memory: it was damaged, or overwritten because memory is short");
    }
    block++;
    done = 0;
  }

  @Override
  public int sum() {
    return sum;
  }

  @Override
  public void close() throws IOException {
    from.close();
  }
}
