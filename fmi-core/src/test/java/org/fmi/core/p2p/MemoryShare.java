package org.fmi.core.p2p;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.fmi.spi.NodeShare;

/** Memory shared by ranks of a {@link MemoryNetwork}. */
public final class MemoryShare implements NodeShare {
  private final int rank;
  private final int[] nodes;

  /** The memory of all ranks, by its owner and key. */
  private final Map<String, MemorySegment> shared;

  private final Nudge nudge;
  private boolean refuses;
  private int unmapped;

  /** Wakes a rank. */
  interface Nudge {
    void from(int rank, int peer);
  }

  MemoryShare(int rank, int[] nodes, Map<String, MemorySegment> shared, Nudge nudge) {
    this.rank = rank;
    this.nodes = nodes;
    this.shared = shared;
    this.nudge = nudge;
  }

  /** Refuses this rank more memory to share. */
  public void refuse() {
    refuses = true;
  }

  /** The number of times that this rank has unmapped shared memory. */
  public int unmapped() {
    return unmapped;
  }

  @Override
  public int node(int peer) {
    return nodes[peer];
  }

  @Override
  public MemorySegment create(int key, long bytes) throws IOException {
    if (refuses) {
      throw new IOException("no memory");
    }
    MemorySegment memory = Arena.ofAuto().allocate(bytes, 128);
    if (shared.putIfAbsent(rank + "/" + key, memory) != null) {
      throw new AssertionError("memory " + key + " of rank " + rank + " is made twice");
    }
    return memory;
  }

  @Override
  public MemorySegment open(int owner, int key) throws IOException {
    MemorySegment memory = node(owner) == node(rank) ? shared.get(owner + "/" + key) : null;
    if (memory == null) {
      throw new IOException("no memory " + key + " of rank " + owner);
    }
    return memory;
  }

  @Override
  public void hide(int key) {
    shared.remove(rank + "/" + key);
  }

  @Override
  public void unmap(MemorySegment memory) {
    unmapped++;
  }

  @Override
  public void nudge(int peer) {
    nudge.from(rank, peer);
  }
}
