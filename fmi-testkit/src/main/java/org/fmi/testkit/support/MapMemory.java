package org.fmi.testkit.support;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.TreeMap;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;

/** A node's memory in a map, with a limit. */
public final class MapMemory implements NodeMemory {
  private final TreeMap<String, MemorySegment> pieces = new TreeMap<>();
  private long limit = Long.MAX_VALUE;
  private int creations;

  /** Sets the size of the memory; pieces in use stay. */
  public void limit(long bytes) {
    limit = bytes;
  }

  /** The number of pieces created. */
  public int creations() {
    return creations;
  }

  @Override
  public List<String> list(String prefix) {
    return pieces.keySet().stream().filter(name -> name.startsWith(prefix)).toList();
  }

  @Override
  public MemorySegment create(String name, long bytes, Arena arena) throws IOException {
    pieces.remove(name);
    if (bytes > free()) {
      throw new NoRoomException(bytes + " bytes wanted, " + free() + " are free", null);
    }
    creations++;
    MemorySegment piece = Arena.ofAuto().allocate(bytes, 64);
    piece.fill((byte) 0x5a);
    pieces.put(name, piece);
    return piece;
  }

  @Override
  public MemorySegment open(String name, Arena arena) throws IOException {
    MemorySegment piece = pieces.get(name);
    if (piece == null) {
      throw new IOException("no piece " + name);
    }
    return piece;
  }

  @Override
  public long free() {
    return limit - pieces.values().stream().mapToLong(MemorySegment::byteSize).sum();
  }

  @Override
  public void delete(String name) {
    pieces.remove(name);
  }

  /** All pieces, to be inspected or damaged. */
  public List<MemorySegment> pieces() {
    return List.copyOf(pieces.values());
  }
}
