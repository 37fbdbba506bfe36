package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.NodeMemory;

/** Looks into a node's memory from outside, as a tool or a test does: changes nothing. */
public final class HeldCheckpoints {
  private HeldCheckpoints() {}

  /** Whether a piece of node memory holds a complete checkpoint, rather than one being written. */
  public static boolean isComplete(MemorySegment piece) {
    return CheckpointHeader.isComplete(piece);
  }

  /**
   * The checkpoints of a rank that are complete and have the checksums that were noted.
   *
   * @param group world ranks of the rank's group, ascending
   * @param losses how many lost members its parity brings back
   * @param blockBytes of a full block
   */
  public static List<CheckpointId> intact(
      NodeMemory memory, int rank, int[] group, int losses, int blockBytes) throws IOException {
    int me = Arrays.binarySearch(group, rank);
    List<CheckpointId> intact = new ArrayList<>();
    try (Pieces pieces = new Pieces(memory, group, me, losses, blockBytes)) {
      for (CheckpointId id : pieces.complete()) {
        Piece piece = pieces.find(id);
        CheckpointHeader header = piece == null ? null : pieces.header(piece);
        if (piece != null && header != null) {
          StoredCheckpoint checkpoint = new StoredCheckpoint(piece.memory(), pieces.layout(header));
          if (checkpoint.isIntact() && checkpoint.hasDigestsOf(header.members()[me])) {
            intact.add(id);
          }
        }
      }
    }
    return intact;
  }
}
