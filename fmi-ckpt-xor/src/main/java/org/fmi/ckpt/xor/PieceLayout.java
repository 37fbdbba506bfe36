package org.fmi.ckpt.xor;

import java.util.stream.IntStream;

/**
 * The layout of a piece of node memory that holds one checkpoint of one rank.
 *
 * <pre>
 *   0         headerBytes      + storedImageBytes                                the piece's end
 *   +---------+----------------+---------------------+------------+-----+--------+--------+
 *   | header  | image, zeros   | room for larger     | code of    | ... | code   | code   |
 *   |         | to 64 bytes    | checkpoints         | last row   |     | of 1   | of 0   |
 *   +---------+----------------+---------------------+------------+-----+--------+--------+
 *
 *   image  = row 0 | row 1 | ... | last row, of shorter blocks
 *   row    = a block of chunk 0 | ... | a block of chunk members-losses-1
 *   code   = a block of each parity chunk, members-losses ... members-1
 *            | CRC32C of each block of the row, image's and parity's, 4 bytes | to 64 bytes
 * </pre>
 *
 * All images of a group are treated as if they were as long as the largest one: missing bytes read
 * as zeros, and are not stored. So blocks have the same sizes on all members. If no losses are
 * tolerated, there is one chunk and no parity. {@link Stripes} defines which chunks belong
 * together.
 *
 * <p>A change at one place of an image affects one row, and all rows except the last keep their
 * place when the image's size changes: see {@link Unchanged}.
 *
 * @param members the size of the group
 * @param losses the number of lost members that the parity can rebuild
 * @param imageBytes the size of this rank's image
 * @param largest the size of the group's largest image
 * @param fullBlockBytes the unit of checksums, transfers and sums
 */
record PieceLayout(int members, int losses, long imageBytes, long largest, int fullBlockBytes) {
  /** The size of a block, which stays in a core's cache. */
  static final int BLOCK_BYTES = 256 << 10;

  /** The alignment of chunks. */
  static final int ALIGNMENT = 64;

  private static final int PAGE = 4096;

  PieceLayout {
    if (losses < 0 || losses >= members || imageBytes < 0 || imageBytes > largest) {
      throw new IllegalArgumentException(
          "%d members, %d losses, image of %d bytes, largest %d"
              .formatted(members, losses, imageBytes, largest));
    }
  }

  private static long align(long bytes, int to) {
    return (bytes + to - 1) / to * to;
  }

  static long headerBytes(int members, int losses) {
    return align(CheckpointHeader.bytes(members, losses), PAGE);
  }

  int imageChunks() {
    return losses == 0 ? 1 : members - losses;
  }

  /** The number of image chunks and parity chunks. */
  int chunks() {
    return imageChunks() + losses;
  }

  long chunkBytes() {
    return align(Math.ceilDiv(largest, imageChunks()), ALIGNMENT);
  }

  /** The number of blocks of a chunk, that is, of rows. */
  long blocks() {
    return Math.ceilDiv(chunkBytes(), fullBlockBytes);
  }

  /** The numbers of all rows. */
  int[] rows() {
    return IntStream.range(0, Math.toIntExact(blocks())).toArray();
  }

  /** The bytes of an image in a row of full blocks. */
  long rowBytes() {
    return (long) imageChunks() * fullBlockBytes;
  }

  /** The number of rows of full blocks, which come first. */
  long fullRows() {
    return chunkBytes() / fullBlockBytes;
  }

  long imageAt() {
    return headerBytes(members, losses);
  }

  long storedImageBytes() {
    return align(imageBytes, ALIGNMENT);
  }

  /** The distance from the start of a row's code to the end of the piece. */
  private long codeBehind(long block) {
    long table = align((long) Integer.BYTES * chunks(), ALIGNMENT);
    long before = block * ((long) losses * fullBlockBytes + table);
    return before + (long) losses * blockBytes(block) + table;
  }

  long totalBytes() {
    long rows = blocks();
    return imageAt() + storedImageBytes() + (rows == 0 ? 0 : codeBehind(rows - 1));
  }

  /** The size of a block, including zeros that are not stored. */
  int blockBytes(long block) {
    return (int) Math.min(fullBlockBytes, chunkBytes() - block * fullBlockBytes);
  }

  /** The number of stored bytes of a block. */
  int storedBytes(int chunk, long block) {
    int bytes = blockBytes(block);
    if (chunk >= imageChunks()) {
      return bytes;
    }
    return Math.clamp(storedImageBytes() - inImage(chunk, block), 0, bytes);
  }

  private long inImage(int chunk, long block) {
    return block * rowBytes() + (long) chunk * blockBytes(block);
  }

  /**
   * The offset of a block; meaningless if none of it is stored.
   *
   * @param pieceBytes the size of the piece
   */
  long blockAt(int chunk, long block, long pieceBytes) {
    return chunk < imageChunks()
        ? imageAt() + inImage(chunk, block)
        : codeAt(block, pieceBytes) + (long) (chunk - imageChunks()) * blockBytes(block);
  }

  private long codeAt(long block, long pieceBytes) {
    return pieceBytes / ALIGNMENT * ALIGNMENT - codeBehind(block);
  }

  /** The offset of a block's CRC; the CRCs of a row are in the order of its chunks. */
  long crcAt(int chunk, long block, long pieceBytes) {
    return codeAt(block, pieceBytes)
        + (long) losses * blockBytes(block)
        + (long) Integer.BYTES * chunk;
  }
}
