package org.fmi.ckpt.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The layout of a node's file: see {@code docs/checkpoint-format.md}.
 *
 * @param entries the number of images in the file
 */
record NodeFileLayout(int entries) {
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final long MAGIC = 0x0046_324c_2d49_4d46L; // "FMI-L2F"
  static final long TRAILER_MAGIC = 0x0045_324c_2d49_4d46L; // "FMI-L2E"

  /** The newest known format. */
  static final int FORMAT = 1;

  /** The number of bytes per checksum. */
  static final int BLOCK_BYTES = 256 << 10;

  /** The alignment of images. */
  static final int PAGE = 4096;

  static final int HEADER_BYTES = 128;
  static final int ENTRY_BYTES = 64;
  static final int TRAILER_BYTES = 32;

  // In the header.
  static final int FORMAT_AT = 8;
  static final int SIZE_AT = 12;
  static final int NODE_AT = 16;
  static final int EPOCH_AT = 20;
  static final int VERSION_AT = 24;
  static final int ENTRIES_AT = 32;
  static final int BLOCK_AT = 36;
  static final int TABLE_AT = 40;
  static final int JOB_BYTES_AT = 48;
  static final int JOB_AT = 64;
  static final int MAX_JOB_BYTES = 64;

  // In the trailer.
  static final int LENGTH_AT = 8;
  static final int FRONT_CRC_AT = 16;
  static final int TABLE_CRC_AT = 20;
  static final int TRAILER_CRC_AT = 28;

  /** The limit on the ranks of a node times the checkpoints of each. */
  static final int MAX_ENTRIES = 1 << 20;

  static long align(long bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
  }

  /** The size of header and entries, and the offset of the first image. */
  long frontBytes() {
    return align(HEADER_BYTES + (long) entries * ENTRY_BYTES);
  }

  static int entryAt(int entry) {
    return HEADER_BYTES + entry * ENTRY_BYTES;
  }

  /** The digest in the entry of an image with this content: the CRC32C of its blocks' checksums. */
  static int digest(MemorySegment image) {
    CRC32C crc = new CRC32C();
    CRC32C all = new CRC32C();
    ByteBuffer sum = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (long at = 0; at < image.byteSize(); at += BLOCK_BYTES) {
      long bytes = Math.min(BLOCK_BYTES, image.byteSize() - at);
      crc.reset();
      crc.update(image.asSlice(at, bytes).asByteBuffer());
      crc.update(new byte[(int) (align(bytes) - bytes)]);
      all.update(sum.clear().putInt((int) crc.getValue()).flip());
    }
    return (int) all.getValue();
  }

  /** The number of an image's checksums. */
  static long blocks(long imageBytes) {
    return Math.ceilDiv(align(imageBytes), BLOCK_BYTES);
  }
}
