package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;
import org.fmi.spi.CheckpointId;

/**
 * A question of a rank to the daemon of an earlier job, about a checkpoint that a rank of that job
 * has left. The answers follow in the order of the questions.
 */
@Wire
public sealed interface PieceQuestion {
  /** Returns the identity of a connection for such questions. */
  static byte[] identity() {
    return new byte[] {'p'};
  }

  /** Send the header of a rank's part. */
  @Tag(1)
  record Header(int rank, CheckpointId id) implements PieceQuestion {}

  /** Send the stored bytes of a block. */
  @Tag(2)
  record Block(int rank, CheckpointId id, int chunk, long row) implements PieceQuestion {}
}
