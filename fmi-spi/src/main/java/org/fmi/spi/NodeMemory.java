package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
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

  /** Says what a piece holds. */
  interface Filler {
    /** Says nothing. */
    Filler NONE = (at, to) -> to.position(to.limit());

    /**
     * Puts what belongs at a place of the piece into a buffer that has room for a byte at least,
     * and moves its position behind that. The places follow each other, from 0 on; after a 0 all is
     * asked for again.
     */
    void fill(long at, ByteBuffer to) throws IOException;

    /** Fills memory that is there. */
    default void fill(MemorySegment memory) throws IOException {
      for (long at = 0; at < memory.byteSize(); ) {
        long most = Math.min(memory.byteSize() - at, 1 << 30);
        ByteBuffer part = memory.asSlice(at, most).asByteBuffer();
        fill(at, part);
        at += part.position();
      }
    }
  }

  /**
   * {@link #create(String, long, Arena)} of a piece with content, which may cost less than to put
   * it there afterwards.
   *
   * @throws UnreadableException that of the filler, if it throws; no piece is left then
   */
  default MemorySegment create(String name, long bytes, Arena arena, Filler filler)
      throws IOException {
    MemorySegment piece = create(name, bytes, arena);
    try {
      filler.fill(piece);
    } catch (IOException e) {
      delete(name);
      throw e;
    }
    return piece;
  }

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
