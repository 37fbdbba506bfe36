package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.NodeMemory;

/** Inspects a node's memory from outside, for tools and tests; changes nothing. */
public final class HeldCheckpoints {
  private HeldCheckpoints() {}

  /** Whether a piece of node memory holds a complete checkpoint, rather than one being written. */
  public static boolean isComplete(MemorySegment piece) {
    return CheckpointHeader.isComplete(piece);
  }

  /**
   * The complete checkpoints of a rank that match their checksums.
   *
   * @param group the world ranks of the rank's group, ascending
   * @param losses the number of lost members that its parity can rebuild
   * @param blockBytes the size of a full block
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
