package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.fmi.spi.NodeMemory;
import org.jspecify.annotations.Nullable;

/** A mapped piece of node memory. */
record Piece(String name, MemorySegment memory, Arena arena) {

  /**
   * @param filler null if the content is written later
   */
  static Piece create(NodeMemory node, String name, long bytes, NodeMemory.@Nullable Filler filler)
      throws IOException {
    // Shared: several threads may read images.
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory =
          filler == null
              ? node.create(name, bytes, arena)
              : node.create(name, bytes, arena, filler);
      return new Piece(name, memory, arena);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  static Piece open(NodeMemory node, String name) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      return new Piece(name, node.open(name, arena), arena);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  void unmap() {
    arena.close();
  }
}
