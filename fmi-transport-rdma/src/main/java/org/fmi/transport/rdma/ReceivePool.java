package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.fmi.verbs.Verbs;

/**
 * Receive buffers, posted to the queue that all connections share, and the account of grants. All
 * buffers are posted except the one being delivered.
 *
 * <p>Each connection has {@link #FIXED} buffers of its own. Beyond that, up to {@link #WINDOW}
 * frames from one peer may be in flight to this rank as long as there are buffers, which holds for
 * the first {@link #FAST_PEERS} peers.
 */
final class ReceivePool {
  /** Frames that a peer may have in flight at any time. */
  static final int BASE = 2;

  /** Empty messages in flight, which carry grants. */
  static final int EMPTY = 2;

  /** The most frames that a peer may have in flight: half a MiB. */
  static final int WINDOW = 32;

  /** The most messages that a peer may have in flight. */
  static final int IN_FLIGHT = WINDOW + EMPTY;

  private static final int FIXED = BASE + EMPTY;
  private static final int FAST_PEERS = 8;

  /** Buffers registered at a time: 1 MiB. */
  private static final int SLAB_SHIFT = 6;

  private static final int SLAB_FRAMES = 1 << SLAB_SHIFT;

  private final Verbs verbs;
  private final Arena arena;
  private final ArrayList<Slab> slabs = new ArrayList<>();

  /**
   * The number of buffers given to the device: all buffers of the slabs, unless it has refused one.
   */
  private int posted;

  private int connections;

  /**
   * Buffers that connections may claim. Counts what is {@link #wanted} for them, without the spare
   * buffers of the last slab, which later connections will use.
   */
  private int unclaimed;

  ReceivePool(Verbs verbs, Arena arena) {
    this.verbs = verbs;
    this.arena = arena;
  }

  /** The most buffers for connections to {@code peers} peers. */
  static int most(int peers) {
    int wanted = wanted(peers);
    return Math.max(1, Math.ceilDiv(wanted, SLAB_FRAMES)) * SLAB_FRAMES;
  }

  private static int wanted(int connections) {
    int fast = Math.min(connections, FAST_PEERS);
    return fast * IN_FLIGHT + (connections - fast) * FIXED;
  }

  /**
   * Registers the first buffers, enough for one connection.
   *
   * @throws IOException if no memory can be registered
   */
  void prepare() throws IOException {
    grow();
  }

  /**
   * Allocates a new connection's own buffers. May be retried if it throws.
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

  /** Returns the buffers of a connection that has ended before its first frame. */
  void leave() {
    connections--;
    assert connections >= 0;
    unclaimed -= claimable(connections);
  }

  /** The claimable buffers that one more connection adds to its own ones. */
  private static int claimable(int connections) {
    return wanted(connections + 1) - wanted(connections) - FIXED;
  }

  /**
   * Claims one more buffer for a connection that may have {@code inFlight} frames in flight; false
   * if there is none.
   */
  boolean claim(int inFlight) {
    if (inFlight >= WINDOW || unclaimed <= 0) {
      return false;
    }
    unclaimed--;
    return true;
  }

  /** Notes that a frame has arrived. */
  void arrived() {
    unclaimed++;
  }

  /** Posts the rest of the last slab, or a new one. */
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
    // Negative, to distinguish the ids of receives.
    verbs.postReceive(
        ~(long) buffer, slab.memory.address() + offset(buffer), Slab.FRAME_BYTES, slab.key);
  }

  /** The buffer of a completion's id. */
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
