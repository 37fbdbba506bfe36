package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.fmi.rules.GroupCode;
import org.fmi.spi.CheckpointId;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of a piece: the identity of its checkpoint, and the sizes and digests of each
 * member's part. The same on all members, so that a member without the checkpoint can learn its
 * size, and rebuilt data can be checked.
 *
 * <pre>
 *    0  magic              8
 *    8  state              8   COMPLETE, or anything else: free, or being written
 *   16  CRC32C             4   of the magic and of the bytes from 24 on
 *   20  unused             4
 *   24  version            8
 *   32  loop               8
 *   40  iteration          8
 *   48  last of its loop?  8
 *   56  members            4
 *   60  losses             4   lost members that the parity can rebuild: its chunks
 *   64  a member, 16 + 4 losses bytes each, by rank:
 *        0  rank           4
 *        4  image digest   4   CRC32C of the CRCs of the image's blocks
 *        8  image bytes    8
 *       16  parity digests 4   each: CRC32C of the CRCs of a parity chunk's blocks
 * </pre>
 *
 * All little endian. The state is written last, and revoked before anything else is changed: a
 * process that dies at any moment leaves a complete checkpoint or none.
 */
record CheckpointHeader(CheckpointId id, int losses, Member[] members) {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long MAGIC = 0x3250_4b43_5f49_4d46L; // "FMI_CKP2"
  private static final long COMPLETE = 0x4554_454c_504d_4f43L; // "COMPLETE"
  private static final long WRITING = 0x2e47_4e49_5449_5257L; // "WRITING."

  private static final int STATE_AT = 8;
  private static final int CRC_AT = 16;
  private static final int BODY_AT = 24;
  private static final int MEMBERS_AT = 64;
  private static final int PARITY_AT = 16;

  /** A rank's part of the checkpoint. */
  record Member(int rank, long imageBytes, int imageDigest, int[] parityDigests) {}

  /** The size of a group's header. */
  static int bytes(int members, int losses) {
    return (int) memberAt(members, losses);
  }

  private static long memberAt(int index, int losses) {
    return MEMBERS_AT + (long) index * (PARITY_AT + Integer.BYTES * losses);
  }

  /** The layout of a member's piece. */
  PieceLayout layout(int index, int blockBytes) {
    long largest = 0;
    for (Member m : members) {
      largest = Math.max(largest, m.imageBytes);
    }
    return new PieceLayout(members.length, losses, members[index].imageBytes, largest, blockBytes);
  }

  /** Marks the piece as holding no complete checkpoint. */
  static void markWriting(MemorySegment piece) {
    piece.set(LONG, STATE_AT, WRITING);
    VarHandle.fullFence();
  }

  /** Writes this header, after all other content; the checkpoint is complete then. */
  void markComplete(MemorySegment piece) {
    markWriting(piece);
    piece.set(LONG, 0, MAGIC);
    piece.set(INT, 20, 0);
    piece.set(LONG, 24, id.version());
    piece.set(LONG, 32, id.loop());
    piece.set(LONG, 40, id.iteration());
    piece.set(LONG, 48, id.last() ? 1 : 0);
    piece.set(INT, 56, members.length);
    piece.set(INT, 60, losses);
    for (int i = 0; i < members.length; i++) {
      long at = memberAt(i, losses);
      piece.set(INT, at, members[i].rank);
      piece.set(INT, at + 4, members[i].imageDigest);
      piece.set(LONG, at + 8, members[i].imageBytes);
      for (int r = 0; r < losses; r++) {
        piece.set(INT, at + PARITY_AT + (long) Integer.BYTES * r, members[i].parityDigests[r]);
      }
    }
    piece.set(INT, CRC_AT, crc(piece, bytes(members.length, losses)));
    VarHandle.fullFence();
    piece.set(LONG, STATE_AT, COMPLETE);
    VarHandle.fullFence();
  }

  /** Whether this piece, or a copy of its first bytes, holds a complete checkpoint. */
  static boolean isComplete(MemorySegment piece) {
    return piece.byteSize() >= CRC_AT
        && piece.get(LONG, STATE_AT) == COMPLETE
        && piece.get(LONG, 0) == MAGIC;
  }

  /**
   * Reads the header of a complete checkpoint.
   *
   * @param piece a piece, or a copy of its first bytes
   * @return null if there is none, it is corrupt, or it belongs to another group or code
   */
  static @Nullable CheckpointHeader read(MemorySegment piece, int[] group, int losses) {
    int bytes = bytes(group.length, losses);
    if (piece.byteSize() < bytes
        || !isComplete(piece)
        || piece.get(INT, 56) != group.length
        || piece.get(INT, 60) != losses
        || piece.get(INT, CRC_AT) != crc(piece, bytes)) {
      return null;
    }
    Member[] members = new Member[group.length];
    for (int i = 0; i < members.length; i++) {
      long at = memberAt(i, losses);
      if (piece.get(INT, at) != group[i]) {
        return null;
      }
      int[] parity = new int[losses];
      for (int r = 0; r < losses; r++) {
        parity[r] = piece.get(INT, at + PARITY_AT + (long) Integer.BYTES * r);
      }
      members[i] = new Member(group[i], piece.get(LONG, at + 8), piece.get(INT, at + 4), parity);
    }
    CheckpointId id =
        new CheckpointId(
            piece.get(LONG, 24),
            piece.get(LONG, 32),
            piece.get(LONG, 40),
            piece.get(LONG, 48) != 0);
    return new CheckpointHeader(id, losses, members);
  }

  /**
   * Reads the header of a complete checkpoint of any group.
   *
   * @return null if there is none, or it is corrupt
   */
  static @Nullable CheckpointHeader read(MemorySegment piece) {
    if (piece.byteSize() < MEMBERS_AT || !isComplete(piece)) {
      return null;
    }
    int count = piece.get(INT, 56);
    int losses = piece.get(INT, 60);
    if (count < 1
        || losses < 0
        || losses > GroupCode.MOST_LOSSES
        || memberAt(count, losses) > piece.byteSize()) {
      return null;
    }
    int[] group = new int[count];
    Arrays.setAll(group, i -> piece.get(INT, memberAt(i, losses)));
    return read(piece, group, losses);
  }

  /** The ranks of the members. */
  int[] group() {
    return Arrays.stream(members).mapToInt(Member::rank).toArray();
  }

  /** The index of a rank among the members; negative if it is not one of them. */
  int indexOf(int rank) {
    return Arrays.binarySearch(group(), rank);
  }

  private static int crc(MemorySegment piece, int bytes) {
    CRC32C crc = new CRC32C();
    crc.update(piece.asSlice(0, STATE_AT).asByteBuffer());
    crc.update(piece.asSlice(BODY_AT, bytes - BODY_AT).asByteBuffer());
    return (int) crc.getValue();
  }

  /**
   * A digest that shows whether two members hold parts of the same checkpoint, for pieces whose
   * headers were read.
   */
  static int digest(MemorySegment piece) {
    return piece.get(INT, CRC_AT);
  }
}
