package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.fmi.verbs.Verbs;

/**
 * Buffers for what arrives, posted to the queue that all connections share, and the account of who
 * may use how many. All buffers are posted but for the one that is being handed on.
 *
 * <p>Each connection has {@link #FIXED} buffers for itself; beyond that, up to {@link #WINDOW}
 * frames may be under way to this rank from one peer as long as there are buffers, which is so for
 * the first {@link #FAST_PEERS} that talk.
 */
final class ReceivePool {
  /** Frames that a peer may have under way at any time. */
  static final int BASE = 2;

  /** Empty messages that tell credits. */
  static final int TELLING = 2;

  /** Frames that a peer may have under way at most: half a MiB. */
  static final int WINDOW = 32;

  /** All that one peer may have under way. */
  static final int UNDER_WAY = WINDOW + TELLING;

  private static final int FIXED = BASE + TELLING;
  private static final int FAST_PEERS = 8;

  /** How many buffers are registered at a time: 1 MiB. */
  private static final int SLAB_SHIFT = 6;

  private static final int SLAB_FRAMES = 1 << SLAB_SHIFT;

  private final Verbs verbs;
  private final Arena arena;
  private final ArrayList<Slab> slabs = new ArrayList<>();

  /** Buffers given to the device so far: all of the slabs, unless it has refused one. */
  private int posted;

  private int connections;

  /**
   * Buffers that connections may claim. Counts what {@link #wanted} for them, not what the last
   * slab has beyond that, which is for those that join later.
   */
  private int unclaimed;

  ReceivePool(Verbs verbs, Arena arena) {
    this.verbs = verbs;
    this.arena = arena;
  }

  /** The most buffers there will be, for connections to {@code peers} peers. */
  static int most(int peers) {
    int wanted = wanted(peers);
    return Math.max(1, Math.ceilDiv(wanted, SLAB_FRAMES)) * SLAB_FRAMES;
  }

  private static int wanted(int connections) {
    int fast = Math.min(connections, FAST_PEERS);
    return fast * UNDER_WAY + (connections - fast) * FIXED;
  }

  /**
   * Registers the first buffers, enough for the first connection.
   *
   * @throws IOException if no memory can be registered
   */
  void prepare() throws IOException {
    grow();
  }

  /**
   * Sets aside what a new connection has for itself. May be tried again if it throws.
   *
   * @throws IOException if no more memory can be registered, or a buffer not posted
   */
  void join() throws IOException {
    while (posted < wanted(connections + 1)) {
      grow();
    }
    unclaimed += claimable(connections);
    connections++;
  }

  /** The connection has ended before a frame went over it. */
  void leave() {
    connections--;
    assert connections >= 0;
    unclaimed -= claimable(connections);
  }

  /** What one connection more brings besides what it has for itself. */
  private static int claimable(int connections) {
    return wanted(connections + 1) - wanted(connections) - FIXED;
  }

  /**
   * Whether there was a buffer more for a connection that may have {@code underWay} frames under
   * way.
   */
  boolean claim(int underWay) {
    if (underWay >= WINDOW || unclaimed <= 0) {
      return false;
    }
    unclaimed--;
    return true;
  }

  /** A frame has arrived. */
  void arrived() {
    unclaimed++;
  }

  /** Posts what is left of the last slab, or a new one. */
  private void grow() throws IOException {
    if (posted == slabs.size() << SLAB_SHIFT) {
      slabs.add(new Slab(verbs, arena, SLAB_FRAMES));
    }
    for (; posted < slabs.size() << SLAB_SHIFT; posted++) {
      post(posted);
    }
  }

  /** Gives a buffer to the device. */
  void post(int buffer) throws IOException {
    Slab slab = slabs.get(buffer >> SLAB_SHIFT);
    // Negative, as an id of a receive is.
    verbs.postReceive(
        ~(long) buffer, slab.memory.address() + offset(buffer), Slab.FRAME_BYTES, slab.key);
  }

  /** The buffer that a completion names. */
  static int buffer(long id) {
    return (int) ~id;
  }

  MemorySegment memory(int buffer) {
    return slabs.get(buffer >> SLAB_SHIFT).memory;
  }

  long offset(int buffer) {
    return Slab.offset(buffer & (SLAB_FRAMES - 1));
  }
}
