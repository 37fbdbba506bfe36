package org.fmi.transport.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Long messages that the receiving rank reads from the sender's memory, with a single copy by the
 * kernel ({@link ProcessMemory}). Data for an array, whose address is unknown, is first read into
 * separate memory, in pieces that stay in the cache.
 *
 * <p>A ticket is an address. Nothing prevents a read at the wrong time, so each piece is checked
 * after it was read, and is valid only if
 *
 * <ul>
 *   <li>the owner had not {@link Inbox#stop stopped} yet: it stops before the program may change
 *       sent memory;
 *   <li>the same call has found the owner's proof in that process, so that it is not another
 *       process with the number of a dead owner.
 * </ul>
 *
 * In any other case, including the death of an owner halfway, all that is known is that the bytes
 * could not be read. They are then fetched in frames, which arrive if the owner is alive.
 */
final class PeerMemory implements RemoteMemory {
  /** The least length of messages to read, in bytes, instead of {@link #LEAST_BYTES}. */
  static final String LEAST_PROPERTY = "fmi.shm.readFromBytes";

  /** Shorter messages are rarely faster by the kernel when data bounce (bench/RESULTS.md). */
  static final long LEAST_BYTES = 1 << 20;

  static final int PIECE_BYTES = 512 << 10;
  static final int ARRAY_PIECE_BYTES = 128 << 10;

  /** Bytes read before frames get their turn. */
  private static final long TURN_BYTES = 1 << 20;

  private static final Exposure EXPOSED = () -> {};

  /** A message being read. */
  private static final class Read {
    int peer;
    Inbox owner;
    long address;
    Object base;
    long offset;
    long bytes;
    long done;
    long id;

    Read(Inbox owner, Object base) {
      this.owner = owner;
      this.base = base;
    }
  }

  private final Neighbours neighbours;
  private final Inbox inbox;
  private final Arena arena;
  private final long leastBytes;

  /** Two iovecs each, for a piece and for the proof. */
  private final MemorySegment to;

  private final MemorySegment from;

  /** The owner's proof, as found. */
  private final MemorySegment found;

  /** Memory for pieces of arrays; null before the first. */
  private @Nullable MemorySegment beside;

  private final ArrayDeque<Read> reads = new ArrayDeque<>();
  private final ArrayDeque<Read> free = new ArrayDeque<>();
  private boolean exposed;
  private boolean stopped;

  /**
   * Publishes this rank's memory in its inbox.
   *
   * @param arena the transport's arena
   */
  PeerMemory(Neighbours neighbours, Inbox inbox, Arena arena) {
    this.neighbours = neighbours;
    this.inbox = inbox;
    this.arena = arena;
    this.leastBytes = leastBytes(System.getProperty(LEAST_PROPERTY));
    to = allocate(2 * ProcessMemory.VECTOR_BYTES);
    from = allocate(2 * ProcessMemory.VECTOR_BYTES);
    found = allocate(Long.BYTES);
    MemorySegment proof = allocate(Long.BYTES);
    proof.set(ValueLayout.JAVA_LONG, 0, new SplittableRandom().nextLong());
    inbox.describe(
        ProcessHandle.current().pid(), proof.address(), proof.get(ValueLayout.JAVA_LONG, 0));
  }

  private MemorySegment allocate(long bytes) {
    return NodeFiles.unchecked(arena.allocate(bytes, Long.BYTES));
  }

  @Override
  public long leastBytes() {
    return leastBytes;
  }

  /** The value of the property, or the default. */
  static long leastBytes(@Nullable String property) {
    if (property == null) {
      return LEAST_BYTES;
    }
    if (!property.matches("[1-9][0-9]{0,17}")) {
      throw new IllegalArgumentException(
          LEAST_PROPERTY + " is '" + property + "': it must be a number of bytes, at least 1");
    }
    return Long.parseLong(property);
  }

  @Override
  public boolean byProcessor() {
    return true;
  }

  @Override
  public Exposure expose(MemorySegment memory, long offset, long bytes, long[] ticket) {
    if (!exposed) {
      exposed = true;
      ReadPermission.give();
    }
    ticket[0] = memory.address() + offset;
    ticket[1] = 0;
    return EXPOSED;
  }

  @Override
  public boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id) {
    Neighbour n = neighbours.get(peer);
    if (stopped || n == null || !isReadable(n)) {
      return false;
    }
    Inbox owner = n.inbox;
    if (owner == null) {
      return false;
    }
    Read r = free.poll();
    if (r == null) {
      r = new Read(owner, base);
    }
    r.peer = peer;
    r.owner = owner;
    r.address = ticket[0];
    r.base = base;
    r.offset = offset;
    r.bytes = bytes;
    r.done = 0;
    r.id = id;
    reads.add(r);
    return true;
  }

  /** Whether a peer's memory can be read; tried once. */
  private boolean isReadable(Neighbour n) {
    if (!n.tried) {
      n.tried = true;
      Inbox theirs = neighbours.openInbox(n);
      n.readable = theirs != null && fetch(theirs, theirs.proofAt(), found, 0, Long.BYTES);
    }
    return n.readable;
  }

  /** Whether {@link #poll} has work. */
  boolean isReading() {
    return !reads.isEmpty();
  }

  /**
   * Reads some of the requested messages, in order.
   *
   * @return the number of pieces
   */
  int poll(FrameHandler handler) {
    int pieces = 0;
    long turn = TURN_BYTES;
    for (Read r = reads.peek(); r != null && turn > 0; r = reads.peek()) {
      long before = r.done;
      boolean good = false;
      try {
        good = piece(r);
      } finally {
        // Removed even if the program's memory is gone: the other messages must still be read.
        if (!good || r.done == r.bytes) {
          reads.remove();
        }
      }
      pieces++;
      turn -= good ? r.done - before : TURN_BYTES;
      if (!good || r.done == r.bytes) {
        free.push(r);
        handler.onRead(r.peer, r.id, good);
      }
    }
    return pieces;
  }

  /** Reads a piece of a message; returns whether it is valid. */
  private boolean piece(Read r) {
    long left = r.bytes - r.done;
    if (r.base instanceof MemorySegment memory && memory.isNative()) {
      long bytes = Math.min(PIECE_BYTES, left);
      if (!fetch(r.owner, r.address + r.done, memory, r.offset + r.done, bytes)
          || r.owner.stopped()) {
        return false;
      }
      r.done += bytes;
    } else {
      MemorySegment near = beside();
      long bytes = Math.min(ARRAY_PIECE_BYTES, left);
      if (!fetch(r.owner, r.address + r.done, near, 0, bytes) || r.owner.stopped()) {
        return false;
      }
      Memory.fromSegment(near, 0, r.base, r.offset + r.done, bytes);
      r.done += bytes;
    }
    return true;
  }

  private MemorySegment beside() {
    MemorySegment near = beside;
    if (near == null) {
      near = allocate(ARRAY_PIECE_BYTES);
      beside = near;
    }
    return near;
  }

  /** Reads bytes of a process; returns whether it is the owner's, and all bytes were read. */
  private boolean fetch(Inbox owner, long address, MemorySegment memory, long at, long bytes) {
    to.set(ValueLayout.JAVA_LONG, 0, memory.address() + at);
    to.set(ValueLayout.JAVA_LONG, 8, bytes);
    to.set(ValueLayout.JAVA_LONG, 16, found.address());
    to.set(ValueLayout.JAVA_LONG, 24, Long.BYTES);
    from.set(ValueLayout.JAVA_LONG, 0, address);
    from.set(ValueLayout.JAVA_LONG, 8, bytes);
    from.set(ValueLayout.JAVA_LONG, 16, owner.proofAt());
    from.set(ValueLayout.JAVA_LONG, 24, Long.BYTES);
    long read = ProcessMemory.read(owner.process(), to, from, memory);
    // The bytes were read before the following checks.
    VarHandle.fullFence();
    return read == bytes + Long.BYTES && found.get(ValueLayout.JAVA_LONG, 0) == owner.proof();
  }

  @Override
  public boolean cancels() {
    return true;
  }

  @Override
  public void cancel(int peer, long id) {
    reads.removeIf(r -> r.peer == peer && r.id == id);
  }

  @Override
  public void stop() {
    stopped = true;
    reads.clear();
    inbox.stop();
  }
}
