package org.fmi.ckpt.xor;

import java.util.stream.IntStream;

/**
 * What lies where in the piece of node memory that holds one checkpoint of one rank.
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
 * All images of a group count as long as the largest one: what is missing reads as zeros, and is
 * not stored. So blocks have the same sizes on all members. Without losses to survive there is one
 * chunk and no parity. Which chunks belong together is said by {@link Stripes}.
 *
 * <p>What is changed at one place of an image concerns one row, and rows but for the last lie where
 * they do whatever size the image has: see {@link Unchanged}.
 *
 * @param members size of the group
 * @param losses how many lost members the parity brings back
 * @param imageBytes size of this rank's image
 * @param largest size of the largest image of the group
 * @param fullBlockBytes bytes that are checksummed, sent and combined at a time
 */
record PieceLayout(int members, int losses, long imageBytes, long largest, int fullBlockBytes) {
  /** Bytes of a block: stays in a core's cache. */
  static final int BLOCK_BYTES = 256 << 10;

  /** Chunks begin at a multiple of this. */
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

  /** Image chunks and parity. */
  int chunks() {
    return imageChunks() + losses;
  }

  long chunkBytes() {
    return align(Math.ceilDiv(largest, imageChunks()), ALIGNMENT);
  }

  /** Blocks of a chunk, that is, rows. */
  long blocks() {
    return Math.ceilDiv(chunkBytes(), fullBlockBytes);
  }

  /** The numbers of all rows. */
  int[] rows() {
    return IntStream.range(0, Math.toIntExact(blocks())).toArray();
  }

  /** Bytes of an image in a row of full blocks. */
  long rowBytes() {
    return (long) imageChunks() * fullBlockBytes;
  }

  /** Rows whose blocks are full, from the first on. */
  long fullRows() {
    return chunkBytes() / fullBlockBytes;
  }

  long imageAt() {
    return headerBytes(members, losses);
  }

  long storedImageBytes() {
    return align(imageBytes, ALIGNMENT);
  }

  /** Where the code of a row begins, from the end of the piece. */
  private long codeBehind(long block) {
    long table = align((long) Integer.BYTES * chunks(), ALIGNMENT);
    long before = block * ((long) losses * fullBlockBytes + table);
    return before + (long) losses * blockBytes(block) + table;
  }

  long totalBytes() {
    long rows = blocks();
    return imageAt() + storedImageBytes() + (rows == 0 ? 0 : codeBehind(rows - 1));
  }

  /** Size of a block, zeros that are not stored included. */
  int blockBytes(long block) {
    return (int) Math.min(fullBlockBytes, chunkBytes() - block * fullBlockBytes);
  }

  /** Bytes of a block that are stored. */
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
   * Where a block begins; without meaning if none of it is stored.
   *
   * @param pieceBytes size of the piece
   */
  long blockAt(int chunk, long block, long pieceBytes) {
    return chunk < imageChunks()
        ? imageAt() + inImage(chunk, block)
        : codeAt(block, pieceBytes) + (long) (chunk - imageChunks()) * blockBytes(block);
  }

  private long codeAt(long block, long pieceBytes) {
    return pieceBytes / ALIGNMENT * ALIGNMENT - codeBehind(block);
  }

  /** Where the CRC of a block lies; those of a row are in the order of its chunks. */
  long crcAt(int chunk, long block, long pieceBytes) {
    return codeAt(block, pieceBytes)
        + (long) losses * blockBytes(block)
        + (long) Integer.BYTES * chunk;
  }
}
