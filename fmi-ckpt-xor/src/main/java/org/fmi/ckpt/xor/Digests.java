package org.fmi.ckpt.xor;

import java.util.Arrays;
import org.fmi.ckpt.xor.CheckpointHeader.Member;
import org.fmi.ckpt.xor.GroupExchange.Note;
import org.fmi.rules.GroupCode;

/** The digests of a member's part, as a note for all members. */
final class Digests {
  private Digests() {}

  static Note note(StoredCheckpoint checkpoint) {
    int[] all = new int[1 + GroupCode.MOST_LOSSES];
    int[] parity = checkpoint.parityDigests();
    all[0] = checkpoint.imageDigest();
    System.arraycopy(parity, 0, all, 1, parity.length);
    return new Note(both(all[0], all[1]), both(all[2], all[3]));
  }

  private static long both(int low, int high) {
    return (long) high << Integer.SIZE | Integer.toUnsignedLong(low);
  }

  /** The digests that a member has reported by {@link #note}. */
  static Member member(int rank, long imageBytes, Note note, int losses) {
    int[] parity = {
      (int) (note.first() >> Integer.SIZE),
      (int) note.second(),
      (int) (note.second() >> Integer.SIZE)
    };
    return new Member(rank, imageBytes, (int) note.first(), Arrays.copyOf(parity, losses));
  }
}
