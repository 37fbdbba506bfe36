package org.fmi.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.fmi.spi.NodeShare;

/** Memory for collectives: one file per piece, mapped until its user unmaps it. */
final class ShmShare implements NodeShare, AutoCloseable {
  private final NodeFiles files;
  private final String name;
  private final Neighbours neighbours;

  /** Files that other ranks may still open. */
  private final Set<String> notHidden = new HashSet<>();

  /** Mappings in this process, by address. */
  private final Map<Long, Arena> mapped = new HashMap<>();

  /**
   * @param name the name of this rank's inbox
   */
  ShmShare(NodeFiles files, String name, Neighbours neighbours) {
    this.files = files;
    this.name = name;
    this.neighbours = neighbours;
  }

  @Override
  public int node(int rank) {
    return neighbours.node(rank);
  }

  @Override
  public MemorySegment create(int key, long bytes) throws IOException {
    String file = NodeFiles.sharedName(name, key);
    MemorySegment memory = map(own -> files.create(file, bytes, own));
    notHidden.add(file);
    return memory;
  }

  @Override
  public MemorySegment open(int owner, int key) throws IOException {
    Neighbour n = neighbours.get(owner);
    if (n == null) {
      throw new IOException("rank " + owner + " is not on this node");
    }
    return map(own -> files.open(NodeFiles.sharedName(n.name, key), own));
  }

  private interface Mapping {
    MemorySegment in(Arena own) throws IOException;
  }

  private MemorySegment map(Mapping mapping) throws IOException {
    Arena own = Arena.ofShared();
    try {
      MemorySegment memory = mapping.in(own);
      mapped.put(memory.address(), own);
      return memory;
    } catch (IOException | RuntimeException e) {
      own.close();
      throw e;
    }
  }

  @Override
  public void unmap(MemorySegment memory) {
    Arena own = mapped.remove(memory.address());
    if (own != null) {
      own.close();
    }
  }

  @Override
  public void hide(int key) {
    String file = NodeFiles.sharedName(name, key);
    try {
      files.delete(file);
      notHidden.remove(file);
    } catch (IOException e) {
      // Stays among the files for hideAll(), which reports another failure.
    }
  }

  @Override
  public void nudge(int peer) {
    neighbours.nudge(peer);
  }

  /** Prevents any further opening. */
  void hideAll() throws IOException {
    for (String file : notHidden) {
      files.delete(file);
    }
  }

  /** Unmaps all memory. */
  @Override
  public void close() {
    mapped.values().forEach(Arena::close);
    mapped.clear();
  }
}
