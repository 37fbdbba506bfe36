package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.PinnedImage;

/** The blocks of one checkpoint in its piece, and their checksums. */
final class StoredCheckpoint {
  private final MemorySegment piece;
  private final PieceLayout layout;
  private final CRC32C crc = new CRC32C();

  StoredCheckpoint(MemorySegment piece, PieceLayout layout) {
    this.piece = piece;
    this.layout = layout;
  }

  MemorySegment piece() {
    return piece;
  }

  PieceLayout layout() {
    return layout;
  }

  MemorySegment image() {
    return piece.asSlice(layout.imageAt(), layout.imageBytes());
  }

  /** The offset of a block; meaningless if none of it is stored. */
  long blockAt(int chunk, long block) {
    return layout.blockAt(chunk, block, piece.byteSize());
  }

  private long crcAt(int chunk, long block) {
    return layout.crcAt(chunk, block, piece.byteSize());
  }

  /** Clears the bytes between the end of the image and the end of its stored blocks. */
  void padImage() {
    long padding = layout.storedImageBytes() - layout.imageBytes();
    piece.asSlice(layout.imageAt() + layout.imageBytes(), padding).fill((byte) 0);
  }

  /** Stores the checksum of a block's current content. */
  void seal(int chunk, long block) {
    piece.set(ValueLayout.JAVA_INT, crcAt(chunk, block), checksum(chunk, block));
  }

  /**
   * Stores the checksums of blocks of an image that is one chunk.
   *
   * @param known the checksums of the first blocks
   */
  void sealImage(int[] rows, int[] known) {
    for (int row : rows) {
      if (row < known.length) {
        piece.set(ValueLayout.JAVA_INT, crcAt(0, row), known[row]);
      } else {
        seal(0, row);
      }
    }
  }

  /** Whether a block matches its stored checksum. */
  boolean isIntact(int chunk, long block) {
    return piece.get(ValueLayout.JAVA_INT, crcAt(chunk, block)) == checksum(chunk, block);
  }

  /** Whether all blocks match their stored checksums. */
  boolean isIntact() {
    for (int chunk = 0; chunk < layout.chunks(); chunk++) {
      for (long block = 0; block < layout.blocks(); block++) {
        if (!isIntact(chunk, block)) {
          return false;
        }
      }
    }
    return true;
  }

  /** The description by which a reader of the image under another name can check it. */
  PinnedImage pinned(CheckpointId id, String name) {
    List<Integer> lengths = new ArrayList<>();
    List<Integer> sums = new ArrayList<>();
    for (long block = 0; block < layout.blocks(); block++) {
      for (int chunk = 0; chunk < layout.imageChunks(); chunk++) {
        int bytes = layout.storedBytes(chunk, block);
        if (bytes > 0) {
          lengths.add(bytes);
          sums.add(piece.get(ValueLayout.JAVA_INT, crcAt(chunk, block)));
        }
      }
    }
    return new PinnedImage(
        id,
        name,
        layout.imageAt(),
        layout.imageBytes(),
        lengths.stream().mapToInt(Integer::intValue).toArray(),
        sums.stream().mapToInt(Integer::intValue).toArray());
  }

  private int checksum(int chunk, long block) {
    int bytes = layout.storedBytes(chunk, block);
    crc.reset();
    if (bytes > 0) {
      crc.update(piece.asSlice(blockAt(chunk, block), bytes).asByteBuffer());
    }
    return (int) crc.getValue();
  }

  /** Whether the checksums are those that the group agreed on. */
  boolean hasDigestsOf(CheckpointHeader.Member member) {
    return imageDigest() == member.imageDigest()
        && Arrays.equals(parityDigests(), member.parityDigests());
  }

  /** The checksum of the checksums of the image's blocks. */
  int imageDigest() {
    return digest(0, layout.imageChunks());
  }

  /** Per parity chunk, the checksum of its blocks' checksums. */
  int[] parityDigests() {
    int[] digests = new int[layout.losses()];
    Arrays.setAll(digests, r -> digest(layout.imageChunks() + r, layout.imageChunks() + r + 1));
    return digests;
  }

  private int digest(int fromChunk, int toChunk) {
    long bytes = (long) Integer.BYTES * (toChunk - fromChunk);
    crc.reset();
    for (long block = 0; block < layout.blocks(); block++) {
      crc.update(piece.asSlice(crcAt(fromChunk, block), bytes).asByteBuffer());
    }
    return (int) crc.getValue();
  }
}
