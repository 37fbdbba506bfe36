package org.fmi.spi;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints that ranks have left in a node's memory, for readers on other nodes. The ranks
 * have ended, so nothing changes any more. Used by one thread.
 */
public interface LeftCheckpoints extends AutoCloseable {
  /**
   * One rank's part of a complete checkpoint.
   *
   * @param group the world ranks of its group, ascending
   * @param losses the number of lost members that the group's code can rebuild
   * @param digest equal for parts of one attempt to take the checkpoint
   */
  record Part(int rank, CheckpointId id, int[] group, int losses, int digest) {}

  /** The parts that match their checksums. */
  List<Part> intact();

  /**
   * Deletes all other checkpoints, as the memory may be needed.
   *
   * @throws IOException if some of them cannot be deleted
   */
  void keep(List<CheckpointId> needed) throws IOException;

  /** The store's description of a part; null if it is not here. */
  byte @Nullable [] header(int rank, CheckpointId id);

  /** The stored bytes of a block; null if the part is not here, or the block damaged. */
  byte @Nullable [] block(int rank, CheckpointId id, int chunk, long row);

  @Override
  void close();
}
