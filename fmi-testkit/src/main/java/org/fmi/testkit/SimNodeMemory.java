package org.fmi.testkit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.fmi.spi.NoRoomException;
import org.fmi.spi.NodeMemory;

/**
 * A node's memory inside this JVM: outlives the processes that use it. Can be small, and can be
 * corrupted. Thread-safe.
 */
public final class SimNodeMemory implements NodeMemory {
  private final TreeMap<String, Piece> pieces = new TreeMap<>();
  private final long capacity;
  private long used;

  /** Bytes taken by other programs on the node. */
  private long taken;

  /** Memory with one name or more. */
  private static final class Piece {
    final MemorySegment memory;
    int names = 1;

    Piece(MemorySegment memory) {
      this.memory = memory;
    }
  }

  /** Creates a memory of {@code capacity} bytes. */
  public SimNodeMemory(long capacity) {
    this.capacity = capacity;
  }

  @Override
  public synchronized List<String> list(String prefix) {
    List<String> names = new ArrayList<>();
    for (String name : pieces.tailMap(prefix).keySet()) {
      if (!name.startsWith(prefix)) {
        break;
      }
      names.add(name);
    }
    return names;
  }

  @Override
  public synchronized MemorySegment create(String name, long bytes, Arena arena)
      throws IOException {
    Piece old = pieces.get(name);
    long free = free() + (old == null ? 0 : old.memory.byteSize());
    if (bytes > free) {
      throw new NoRoomException(
          "no room for " + name + ": " + bytes + " bytes wanted, " + free + " free; use more nodes",
          null);
    }
    delete(name);
    // Released by the garbage collector when neither this node nor a mapping refers to it.
    pieces.put(name, new Piece(Arena.ofAuto().allocate(bytes, 64)));
    used += bytes;
    return open(name, arena);
  }

  // A mapping that ends with its arena, over memory that does not, needs the restricted method. The
  // cleanup action keeps the memory reachable as long as the mapping lives, and does nothing else.
  @SuppressWarnings({"restricted", "ReachabilityFenceUsage"})
  @Override
  public synchronized MemorySegment open(String name, Arena arena) throws IOException {
    Piece piece = pieces.get(name);
    if (piece == null) {
      throw new IOException("no such piece of node memory: " + name);
    }
    return piece.memory.reinterpret(arena, mapping -> Reference.reachabilityFence(piece));
  }

  @Override
  public synchronized boolean link(String name, String another) throws IOException {
    Piece piece = pieces.get(name);
    if (piece == null) {
      throw new IOException("no such piece of node memory: " + name);
    }
    piece.names++;
    pieces.put(another, piece);
    return true;
  }

  @Override
  public synchronized boolean isLinked(String name) {
    Piece piece = pieces.get(name);
    return piece != null && piece.names > 1;
  }

  @Override
  public synchronized long free() {
    return Math.max(0, capacity - taken - used);
  }

  @Override
  public synchronized void delete(String name) {
    Piece piece = pieces.remove(name);
    if (piece != null && --piece.names == 0) {
      used -= piece.memory.byteSize();
    }
  }

  /** Deletes everything, as the death of the node does. */
  public synchronized void clear() {
    pieces.clear();
    used = 0;
  }

  /** Another program takes all free memory. */
  synchronized void fill() {
    taken = Math.max(0, capacity - used);
  }

  /** The other program frees its memory. */
  synchronized void drain() {
    taken = 0;
  }

  /** Whether another program has taken the free memory. */
  synchronized boolean isFull() {
    return taken > 0;
  }

  /**
   * Draws one bit at random and flips it, as a memory error does, if {@code mayFlip} allows that
   * for its piece.
   *
   * @return whether it flipped
   */
  synchronized boolean corrupt(SplittableRandom random, Predicate<MemorySegment> mayFlip) {
    long at = used == 0 ? -1 : random.nextLong(used);
    boolean flipped = false;
    for (Piece each : pieces.values()) {
      MemorySegment piece = each.memory;
      if (at >= 0 && at < piece.byteSize() && mayFlip.test(piece)) {
        byte old = piece.get(ValueLayout.JAVA_BYTE, at);
        piece.set(ValueLayout.JAVA_BYTE, at, (byte) (old ^ (1 << random.nextInt(8))));
        flipped = true;
      }
      at -= piece.byteSize();
    }
    return flipped;
  }

  /** The memory as seen by {@code process}: a dead process cannot change it. */
  NodeMemory view(SimProcess process) {
    return new View(process);
  }

  private final class View implements NodeMemory {
    private final SimProcess process;

    View(SimProcess process) {
      this.process = process;
    }

    @Override
    public List<String> list(String prefix) {
      process.primitive();
      return SimNodeMemory.this.list(prefix);
    }

    @Override
    public MemorySegment create(String name, long bytes, Arena arena) throws IOException {
      process.primitive();
      process.failIfMemoryDoes(name);
      return SimNodeMemory.this.create(name, bytes, arena);
    }

    @Override
    public MemorySegment open(String name, Arena arena) throws IOException {
      process.primitive();
      process.failIfMemoryDoes(name);
      return SimNodeMemory.this.open(name, arena);
    }

    @Override
    public boolean link(String name, String another) throws IOException {
      process.primitive();
      return SimNodeMemory.this.link(name, another);
    }

    @Override
    public boolean isLinked(String name) {
      return SimNodeMemory.this.isLinked(name);
    }

    @Override
    public long free() {
      process.primitive();
      return SimNodeMemory.this.free();
    }

    @Override
    public void delete(String name) {
      process.primitive();
      SimNodeMemory.this.delete(name);
    }
  }
}
