package org.fmi.testkit;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.NodeShare;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * A transport over the simulated network. Checks that its caller keeps the contract: it refuses
 * calls by the wrong thread and frames that are too long, and overwrites a frame's memory after its
 * handler returned.
 */
final class SimTransport implements Transport {
  private static final byte POISON = (byte) 0xDB;

  /** A kind of simulated transport. */
  enum Kind {
    /** Like shared memory: reaches the ranks of the node, whose deaths it does not notice. */
    NEAR("near", 10),
    /** Like a network: reaches all ranks, and notices broken connections. */
    FAR("sim", 30);

    final String text;
    final int order;

    Kind(String text, int order) {
      this.text = text;
      this.order = order;
    }
  }

  private static final int NEAR_NANOS = 2_000;

  private final SimProcess process;
  private final Kind kind;
  private final SimNetwork network;
  private final int id;
  private final int epoch;
  private final SimSignal signal;
  private final ArrayDeque<Arrival> inbox = new ArrayDeque<>();
  private final @Nullable SimConnection[] connections;
  private final SimRemoteMemory memory;
  private final SimNodeShare share;
  private Endpoints endpoints = Endpoints.of();
  private boolean open = true;

  /** The transport of this process whose bell an arrival rings, once. */
  private @Nullable SimTransport armed;

  SimTransport(SimProcess process, Kind kind, int id, int size, int epoch) {
    this.process = process;
    this.kind = kind;
    this.epoch = epoch;
    this.network = process.cluster().network();
    this.id = id;
    this.signal = new SimSignal(process);
    this.connections = new SimConnection[size];
    this.memory = new SimRemoteMemory(this, network);
    this.share = new SimNodeShare(this);
  }

  SimProcess process() {
    return process;
  }

  boolean open() {
    return open;
  }

  @Override
  public String name() {
    return kind.text;
  }

  @Override
  public byte[] endpoint() {
    return ByteBuffer.allocate(Integer.BYTES).putInt(id).array();
  }

  @Override
  public void start(Endpoints of) {
    enter();
    if (endpoints.size() > 0 || of.size() != connections.length) {
      throw new IllegalStateException("start is called once, with all endpoints");
    }
    endpoints = of;
  }

  @Override
  public boolean reaches(int peer) {
    return isUsedBy(peer) && (kind == Kind.FAR || peer(peer).process.boot().equals(process.boot()));
  }

  @Override
  public int maxPayload() {
    return process.model().maxPayload();
  }

  @Override
  public int eagerLimit() {
    return process.model().eagerLimit();
  }

  /** Small, as simulated programs send little. */
  @Override
  public long windowBytes() {
    return 16L * process.model().maxPayload();
  }

  @Override
  public boolean offer(int peer, Frame frame) {
    enter();
    if (!reaches(peer) || peer == process.rank()) {
      throw new IllegalArgumentException("no way to rank " + peer);
    }
    if (frame.payload < 0 || frame.payload > maxPayload()) {
      throw new IllegalArgumentException("a payload of " + frame.payload + " bytes");
    }
    SimConnection connection = connections[peer];
    if (connection == null) {
      connection = connect(peer);
    }
    Simulation simulation = process.simulation();
    if (simulation.random().nextInt(process.model().refuseOneIn()) == 0) {
      process.post(delay(), "room again", this::signal);
      return false;
    }
    byte[] bytes = new byte[frame.bytes()];
    MemorySegment copy = MemorySegment.ofArray(bytes);
    frame.encode(copy, 0);
    boolean accepted = connection.offer(this, bytes);
    if (accepted) {
      process.cluster().traffic().onFrame(process, peer, copy);
      process.busy();
    }
    return accepted;
  }

  private SimConnection connect(int peer) {
    SimTransport other = peer(peer);
    SimConnection connection = new SimConnection(network, this, other);
    connections[peer] = connection;
    if (other.open && other.connections[process.rank()] == null) {
      other.connections[process.rank()] = connection;
    }
    connection.connect();
    return connection;
  }

  @Override
  public int poll(FrameHandler handler) {
    enter();
    if (inbox.isEmpty()) {
      process.spin(signal);
    }
    if (inbox.isEmpty()) {
      return 0;
    }
    process.busy();
    int work = 0;
    int most = 1 + process.simulation().random().nextInt(8);
    while (work < most && open) {
      Arrival arrival = inbox.poll();
      if (arrival == null) {
        break;
      }
      work++;
      switch (arrival) {
        case Arrival.Framed a -> {
          a.connection.received(this);
          checkEpoch(a);
          MemorySegment frame = MemorySegment.ofArray(a.frame);
          process.cluster().traffic().onArrival(process, a.peer, frame);
          handler.onFrame(a.peer, frame, 0);
          Arrays.fill(a.frame, POISON);
        }
        case Arrival.Read a -> handler.onRead(a.peer, a.id, a.whole);
        case Arrival.Lost a -> handler.onPeerLost(a.peer, a.reason);
      }
    }
    return work;
  }

  /** Invariant I5: no message crosses an epoch. */
  private void checkEpoch(Arrival.Framed arrival) {
    int of = MemorySegment.ofArray(arrival.frame).get(FrameLayout.INT, FrameLayout.EPOCH);
    if (of != epoch) {
      throw new AssertionError(
          "I5: a frame of epoch %d from rank %d in epoch %d".formatted(of, arrival.peer, epoch));
    }
  }

  @Override
  public void await(long maxNanos) {
    enter();
    if (inbox.isEmpty()) {
      signal.await(maxNanos);
    } else {
      process.spin();
    }
  }

  @Override
  public int bell() {
    return id + 1;
  }

  @Override
  public boolean arm(int bell) {
    enter();
    SimTransport at = network.find(bell - 1);
    boolean before = at.equals(armed);
    armed = at;
    return before;
  }

  @Override
  public void wakeup() {
    signal.signal();
  }

  @Override
  public void close() {
    if (process.gone()) {
      return;
    }
    process.primitive();
    shut(false, "connection closed");
    process.closed(this);
  }

  /** Ends it now. */
  void shut(boolean unheard, String reason) {
    if (!open) {
      return;
    }
    open = false;
    memory.conceal();
    inbox.clear();
    for (SimConnection connection : connections) {
      if (connection != null) {
        connection.shut(this, unheard, reason);
      }
    }
  }

  /** Breaks the connection to a peer, if there is one. */
  void breakConnection(int peer) {
    SimConnection connection = connections[peer];
    if (connection != null) {
      connection.sever();
    }
  }

  /** Wakes the rank, whichever of its transports it waits on. */
  void signal() {
    signal.signal();
    SimTransport at = armed;
    armed = null;
    if (at != null) {
      at.signal.signal();
    }
  }

  /** The delay to another rank. */
  long delay() {
    return kind == Kind.FAR
        ? network.delay()
        : 100 + process.simulation().random().nextInt(NEAR_NANOS);
  }

  Kind kind() {
    return kind;
  }

  /** The process is dead. */
  void die(boolean unheard) {
    shut(unheard || kind == Kind.NEAR, "connection reset");
  }

  /** A frame, or the end of a connection, has arrived from the network. */
  void deliver(SimConnection connection, int peer, byte @Nullable [] frame, String reason) {
    if (open) {
      inbox.add(
          frame == null
              ? new Arrival.Lost(peer, reason)
              : new Arrival.Framed(connection, peer, frame));
      signal();
    }
  }

  /** A read from a peer's memory is complete, or has failed. */
  void deliverRead(int peer, long readId, boolean whole) {
    inbox.add(new Arrival.Read(peer, readId, whole));
    signal();
  }

  @Override
  public @Nullable RemoteMemory remoteMemory() {
    return kind == Kind.FAR && process.model().remoteMemory() ? memory : null;
  }

  @Override
  public @Nullable NodeShare share() {
    return kind == Kind.NEAR ? share : null;
  }

  SimNodeShare regions() {
    return share;
  }

  SimRemoteMemory memory() {
    return memory;
  }

  /** Whether a rank has this transport too. */
  boolean isUsedBy(int rank) {
    return endpoints.has(rank);
  }

  /** The transport of a peer. */
  SimTransport peer(int rank) {
    return network.find(ByteBuffer.wrap(endpoints.get(rank)).getInt());
  }

  void enter() {
    if (!process.isCurrent()) {
      throw new IllegalStateException(
          "a transport is used by its application's thread only, not by "
              + Thread.currentThread().getName());
    }
    process.primitive();
    if (!open || memory.stopped()) {
      throw new IllegalStateException("the transport is closed, or has stopped");
    }
  }

  private sealed interface Arrival {
    record Framed(SimConnection connection, int peer, byte[] frame) implements Arrival {}

    record Read(int peer, long id, boolean whole) implements Arrival {}

    record Lost(int peer, String reason) implements Arrival {}
  }
}
