package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Named pieces of a node's memory that outlive the processes of its ranks, and die with the node or
 * the job.
 */
public interface NodeMemory {
  /** Names of the pieces that begin with {@code prefix}. */
  List<String> list(String prefix) throws IOException;

  /**
   * Creates a piece, or replaces one of this name, with memory really set aside.
   *
   * @throws IOException if there is not enough; the message says how much was wanted, how much
   *     there is, and what would help
   */
  MemorySegment create(String name, long bytes, Arena arena) throws IOException;

  /** Maps an existing piece. */
  MemorySegment open(String name, Arena arena) throws IOException;

  /**
   * Gives a piece one more name, under which it lives on if it is deleted under the first.
   *
   * @return false if this memory cannot
   */
  default boolean link(String name, String another) throws IOException {
    return false;
  }

  /** Whether a piece has more than one name. */
  default boolean isLinked(String name) throws IOException {
    return false;
  }

  /**
   * How many bytes the ranks of the node may still take in their processes. Pieces on a disk are
   * not among them.
   */
  long free() throws IOException;

  /** Deletes a piece if it exists. */
  void delete(String name) throws IOException;
}
