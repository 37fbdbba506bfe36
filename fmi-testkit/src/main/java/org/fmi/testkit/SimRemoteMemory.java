package org.fmi.testkit;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.fmi.spi.RemoteMemory;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * The memory of simulated ranks, read remotely while time passes: a message arrives in pieces, and
 * between any two of them either side may stop, die or fall silent. Neither is notified.
 */
final class SimRemoteMemory implements RemoteMemory {
  private static final int MOST_PIECES = 4;
  private static final long SILENCE_NANOS = 1_000_000;

  private final SimTransport transport;
  private final SimProcess process;
  private final SimNetwork network;
  private final Simulation simulation;
  private final Map<Long, MemorySegment> exposed = new HashMap<>();
  private long tickets;
  private boolean stopped;

  /** A read. */
  private record Id(int peer, long id) {}

  /** Reads that no piece of may arrive any more. */
  private final Set<Id> cancelled = new HashSet<>();

  SimRemoteMemory(SimTransport transport, SimNetwork network) {
    this.transport = transport;
    this.process = transport.process();
    this.network = network;
    this.simulation = process.simulation();
  }

  @Override
  public long leastBytes() {
    return process.model().maxPayload();
  }

  private boolean refuses() {
    return simulation.random().nextInt(process.model().refuseOneIn()) == 0;
  }

  private static MemorySegment checked(MemorySegment memory, long offset, long bytes) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException("memory on the heap may move");
    }
    return memory.asSlice(offset, bytes);
  }

  @Override
  public @Nullable Exposure expose(MemorySegment memory, long offset, long bytes, long[] ticket) {
    transport.enter();
    MemorySegment range = checked(memory, offset, bytes);
    if (refuses()) {
      return null;
    }
    long number = ++tickets;
    exposed.put(number, range);
    ticket[0] = number;
    ticket[1] = ~number;
    return () -> {
      if (exposed.remove(number) == null && !stopped && transport.open()) {
        throw new IllegalStateException("it was not exposed any more");
      }
    };
  }

  @Override
  public boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id) {
    transport.enter();
    MemorySegment memory = Memory.view(base);
    if (memory == null) {
      return false; // an array of booleans, which are more than bytes
    }
    MemorySegment range = memory.asSlice(offset, bytes);
    if (ticket[1] != ~ticket[0]) {
      throw new IllegalArgumentException("not a ticket: " + ticket[0] + ", " + ticket[1]);
    }
    if (refuses()) {
      return false;
    }
    new Reading(peer, ticket[0], range, id).continueAfter(network.delay());
    return true;
  }

  @Override
  public boolean cancels() {
    return true;
  }

  @Override
  public void cancel(int peer, long id) {
    cancelled.add(new Id(peer, id));
  }

  @Override
  public void stop() {
    stopped = true;
    conceal();
  }

  boolean stopped() {
    return stopped;
  }

  /** Ends all remote access to this rank's memory. */
  void conceal() {
    exposed.clear();
  }

  private final class Reading {
    private final int peer;
    private final SimTransport other;
    private final long ticket;
    private final MemorySegment to;
    private final long id;
    private long done;

    Reading(int peer, long ticket, MemorySegment to, long id) {
      this.peer = peer;
      this.other = transport.peer(peer);
      this.ticket = ticket;
      this.to = to;
      this.id = id;
    }

    void continueAfter(long delay) {
      simulation.after(delay, "read", process.rank(), this::piece);
    }

    private void piece() {
      if (stopped || !transport.open() || cancelled.contains(new Id(peer, id))) {
        return;
      }
      if (network.severed(process, other.process())) {
        continueAfter(SILENCE_NANOS);
        return;
      }
      MemorySegment from = other.memory().exposed.get(ticket);
      if (from == null) {
        // Its owner has stopped or died.
        return;
      }
      if (done > 0 && refuses()) {
        transport.deliverRead(peer, id, false);
        return;
      }
      long left = to.byteSize() - done;
      long bytes =
          simulation.random().nextInt(MOST_PIECES) == 0 ? left : Math.ceilDiv(left, MOST_PIECES);
      MemorySegment.copy(from, done, to, done, bytes);
      done += bytes;
      if (bytes == left) {
        transport.deliverRead(peer, id, true);
      } else {
        continueAfter(network.delay());
      }
    }
  }
}
