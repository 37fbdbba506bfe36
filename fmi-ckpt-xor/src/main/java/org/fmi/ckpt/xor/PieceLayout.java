package org.fmi.ckpt.xor;

/**
 * What lies where in the piece of node memory that holds one checkpoint of one rank.
 *
 * <pre>
 *   0         headerBytes      + storedImageBytes   + parityBytes       + tableBytes
 *   +---------+----------------+--------------------+-------------------+
 *   | header  | image, zeros   | parity: one chunk  | CRC32C of every   |   rest: room for
 *   |         | to 64 bytes    | (no group: none)   | block, 4 bytes    |   larger checkpoints
 *   +---------+----------------+--------------------+-------------------+
 *
 *   image  = chunk 0 | chunk 1 | ... | chunk members-2      parity = chunk members-1
 *   chunk  = block 0 | block 1 | ... | last, shorter block
 *   table  = CRCs of chunk 0's blocks | ... | CRCs of the parity's blocks
 * </pre>
 *
 * All images of a group count as long as the largest one: what is missing reads as zeros, and is
 * not stored. So chunks and blocks have the same sizes on all members. A group of one rank has one
 * chunk and no parity.
 *
 * <p>Chunk j of member i is covered by the parity of member (i + 1 + j) mod members; with j =
 * members-1 this is member i, whose chunk members-1 is that parity itself: XOR of all chunks with
 * the same holder is zero.
 *
 * @param members size of the group
 * @param imageBytes size of this rank's image
 * @param largest size of the largest image of the group
 */
record PieceLayout(int members, long imageBytes, long largest) {
  /** Bytes that are checksummed, sent and combined at a time: stays in a core's cache. */
  static final int BLOCK_BYTES = 256 << 10;

  /** Chunks begin at a multiple of this. */
  static final int ALIGNMENT = 64;

  private static final int PAGE = 4096;

  PieceLayout {
    if (members < 1 || imageBytes < 0 || imageBytes > largest) {
      throw new IllegalArgumentException(
          members + " members, image of " + imageBytes + " bytes, largest " + largest);
    }
  }

  private static long align(long bytes, int to) {
    return (bytes + to - 1) / to * to;
  }

  static long headerBytes(int members) {
    return align(CheckpointHeader.bytes(members), PAGE);
  }

  int imageChunks() {
    return Math.max(1, members - 1);
  }

  /** Image chunks and parity. */
  int chunks() {
    return members;
  }

  long chunkBytes() {
    return align(Math.ceilDiv(largest, imageChunks()), ALIGNMENT);
  }

  /** Blocks a chunk. */
  long blocks() {
    return Math.ceilDiv(chunkBytes(), BLOCK_BYTES);
  }

  long imageAt() {
    return headerBytes(members);
  }

  long storedImageBytes() {
    return align(imageBytes, ALIGNMENT);
  }

  private long parityAt() {
    return imageAt() + storedImageBytes();
  }

  private long parityBytes() {
    return members == 1 ? 0 : chunkBytes();
  }

  private long tableAt() {
    return parityAt() + parityBytes();
  }

  long totalBytes() {
    return tableAt() + Integer.BYTES * blocks() * chunks();
  }

  /** Size of a block, zeros that are not stored included. */
  int blockBytes(long block) {
    return (int) Math.min(BLOCK_BYTES, chunkBytes() - block * BLOCK_BYTES);
  }

  /** Bytes of a block that are stored. */
  int storedBytes(int chunk, long block) {
    int bytes = blockBytes(block);
    if (chunk >= imageChunks()) {
      return bytes;
    }
    long left = storedImageBytes() - chunk * chunkBytes() - block * BLOCK_BYTES;
    return Math.clamp(left, 0, bytes);
  }

  /** Where a block begins; without meaning if none of it is stored. */
  long blockAt(int chunk, long block) {
    long begin = chunk < imageChunks() ? imageAt() + chunk * chunkBytes() : parityAt();
    return begin + block * BLOCK_BYTES;
  }

  /** Where the CRC of a block lies. */
  long crcAt(int chunk, long block) {
    return tableAt() + Integer.BYTES * (chunk * blocks() + block);
  }
}
