package org.fmi.spi;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Named pieces of a node's memory that outlive the processes of its ranks, and end with the node or
 * the job.
 */
public interface NodeMemory {
  /** The prefix of the names of all ranks' checkpoints. */
  String PREFIX = "ckpt-r";

  /** Returns the prefix of the names of a rank's checkpoints. */
  static String prefix(int rank) {
    return PREFIX + rank + "-";
  }

  /** Returns the rank in the name of a checkpoint. */
  static int rankOf(String name) {
    int from = PREFIX.length();
    return Integer.parseInt(name.substring(from, name.indexOf('-', from)));
  }

  /** The names of all pieces with this prefix. */
  List<String> list(String prefix) throws IOException;

  /**
   * Creates a piece, or replaces the one of this name, with its memory allocated at once.
   *
   * @throws NoRoomException if there is not enough memory; the message says how much was requested,
   *     how much is free, and what would help
   */
  MemorySegment create(String name, long bytes, Arena arena) throws IOException;

  /** Provides a piece's content. */
  interface Filler {
    /** Provides zeros. */
    Filler NONE = (at, to) -> to.position(to.limit());

    /**
     * Puts the content at a position of the piece into a buffer with room for at least one byte,
     * and advances the buffer's position. Positions follow each other, from 0 on; a call with
     * position 0 restarts the content.
     */
    void fill(long at, ByteBuffer to) throws IOException;

    /** Fills existing memory. */
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
   * {@link #create(String, long, Arena)} of a piece with content, which may cost less than writing
   * the content afterwards.
   *
   * @throws UnreadableException if the filler throws it; no piece is left then
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
   * Gives a piece one more name, under which it survives deletion of the first.
   *
   * @return false if this memory does not support it
   */
  default boolean link(String name, String another) throws IOException {
    return false;
  }

  /** Whether a piece has more than one name. */
  default boolean isLinked(String name) throws IOException {
    return false;
  }

  /**
   * The number of bytes that the ranks of the node may still allocate in their processes. Pieces on
   * a disk do not count.
   */
  long free() throws IOException;

  /** Deletes a piece if it exists. */
  void delete(String name) throws IOException;
}
