package org.fmi.testkit;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.fmi.spi.NodeShare;

/** Memory shared by the simulated ranks of a node, for one epoch. */
final class SimNodeShare implements NodeShare {
  private final SimTransport transport;
  private final SimProcess process;

  /** The regions that this rank has created and not hidden. */
  private final Map<Integer, MemorySegment> made = new HashMap<>();

  SimNodeShare(SimTransport transport) {
    this.transport = transport;
    this.process = transport.process();
  }

  @Override
  public int node(int rank) {
    return transport.isUsedBy(rank) ? transport.peer(rank).process().node() : -1;
  }

  @Override
  public MemorySegment create(int key, long bytes) throws IOException {
    transport.enter();
    if (made.containsKey(key)) {
      throw new IllegalArgumentException("there is a region " + key);
    }
    if (process.simulation().random().nextInt(process.model().refuseOneIn()) == 0) {
      throw new IOException("no room for a region");
    }
    MemorySegment region = Arena.ofAuto().allocate(bytes, 64);
    made.put(key, region);
    return region;
  }

  @Override
  public MemorySegment open(int owner, int key) throws IOException {
    transport.enter();
    MemorySegment region = transport.peer(owner).regions().made.get(key);
    if (region == null) {
      throw new IOException("rank " + owner + " has no region " + key);
    }
    return region;
  }

  @Override
  public void hide(int key) {
    made.remove(key);
  }

  @Override
  public void unmap(MemorySegment memory) {} // the garbage collector does that

  @Override
  public void nudge(int peer) {
    transport.enter();
    SimTransport other = transport.peer(peer);
    other.process().post(transport.delay(), "nudge", other::signal);
  }
}
