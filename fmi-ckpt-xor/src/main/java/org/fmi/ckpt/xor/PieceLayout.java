package org.fmi.ckpt.xor;

/**
 * What lies where in the piece of node memory that holds one checkpoint of one rank.
 *
 * <pre>
 *   0         headerBytes      + storedImageBytes   + parityBytes       + tableBytes
 *   +---------+----------------+--------------------+-------------------+
 *   | header  | image, zeros   | parity: one chunk  | CRC32C of every   |   rest: room for
 *   |         | to 64 bytes    | for each loss      | block, 4 bytes    |   larger checkpoints
 *   +---------+----------------+--------------------+-------------------+
 *
 *   image  = chunk 0 | chunk 1 | ... | chunk members-losses-1
 *   parity = chunk members-losses | ... | chunk members-1
 *   chunk  = block 0 | block 1 | ... | last, shorter block
 *   table  = CRCs of chunk 0's blocks | ... | CRCs of the last parity chunk's blocks
 * </pre>
 *
 * All images of a group count as long as the largest one: what is missing reads as zeros, and is
 * not stored. So chunks and blocks have the same sizes on all members. Without losses to survive
 * there is one chunk and no parity. Which chunks belong together is said by {@link Stripes}.
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

  /** Blocks a chunk. */
  long blocks() {
    return Math.ceilDiv(chunkBytes(), fullBlockBytes);
  }

  long imageAt() {
    return headerBytes(members, losses);
  }

  long storedImageBytes() {
    return align(imageBytes, ALIGNMENT);
  }

  private long parityAt() {
    return imageAt() + storedImageBytes();
  }

  private long parityBytes() {
    return losses * chunkBytes();
  }

  private long tableAt() {
    return parityAt() + parityBytes();
  }

  long totalBytes() {
    return tableAt() + Integer.BYTES * blocks() * chunks();
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
    long left = storedImageBytes() - chunk * chunkBytes() - block * fullBlockBytes;
    return Math.clamp(left, 0, bytes);
  }

  /** Where a block begins; without meaning if none of it is stored. */
  long blockAt(int chunk, long block) {
    long begin =
        chunk < imageChunks()
            ? imageAt() + chunk * chunkBytes()
            : parityAt() + (chunk - imageChunks()) * chunkBytes();
    return begin + block * fullBlockBytes;
  }

  /** Where the CRC of a block lies. */
  long crcAt(int chunk, long block) {
    return tableAt() + Integer.BYTES * (chunk * blocks() + block);
  }
}
