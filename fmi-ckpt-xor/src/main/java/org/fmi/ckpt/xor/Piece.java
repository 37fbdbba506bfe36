package org.fmi.ckpt.xor;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.fmi.spi.NodeMemory;

/** A mapped piece of node memory. */
record Piece(String name, MemorySegment memory, Arena arena) {

  static Piece create(NodeMemory node, String name, long bytes) throws IOException {
    // Shared: images may be read by several threads.
    Arena arena = Arena.ofShared();
    try {
      return new Piece(name, node.create(name, bytes, arena), arena);
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
