package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.NodeShare;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Joins ranks in one JVM for tests: a ring of slots for each ordered pair. Randomly, from a seed,
 * it refuses offers and delays frames.
 */
public final class MemoryNetwork {
  /**
   * The behaviour of a network.
   *
   * @param refuse the probability that an offer is refused, 0 to below 1
   * @param delay the probability that a poll skips a peer, 0 to below 1
   * @param remote whether ranks can read each other's memory
   * @param pause the probability that a rank pauses when it sends, or writes memory that a peer
   *     reads, 0 to 1
   */
  public record Options(
      int maxPayload,
      int eagerLimit,
      int slots,
      double refuse,
      double delay,
      boolean remote,
      double pause) {
    public static final Options PLAIN = new Options(16 << 10, 4 << 10, 64, 0, 0);
    public static final Options ROUGH = new Options(128, 64, 4, 0.3, 0.3);

    /** Sends wait for their receives, except empty messages and single bytes. */
    public static final Options WAITING = new Options(4 << 10, 1, 16, 0, 0);

    /** Ranks run at different speeds. */
    public static final Options UNEVEN = new Options(16 << 10, 4 << 10, 16, 0.1, 0.1, false, 0.15);

    /** Without remote memory. */
    public Options(int maxPayload, int eagerLimit, int slots, double refuse, double delay) {
      this(maxPayload, eagerLimit, slots, refuse, delay, false, 0);
    }

    /** The same options with remote memory. */
    public Options reading() {
      return new Options(maxPayload, eagerLimit, slots, refuse, delay, true, pause);
    }
  }

  private final Options options;
  private volatile boolean untilWoken;
  private final Ring[][] rings;
  private final End[] ends;
  private final MemoryShare[] shares;
  private final AtomicLong sent = new AtomicLong();

  /** Exposed memory, and free places for more. Guarded by itself. */
  private final List<Exposed> exposures = new ArrayList<>();

  /** While true, no transport reports that accepted frames were handed over. */
  volatile boolean holding;

  private long tickets;
  private long bytesRead;

  /** Memory that a rank with its ticket may read; a free place if the ticket is 0. */
  private final class Exposed implements RemoteMemory.Exposure {
    final int rank;
    MemorySegment memory = MemorySegment.NULL;
    long offset;
    long bytes;
    long ticket;

    Exposed(int rank) {
      this.rank = rank;
    }

    @Override
    public void close() {
      synchronized (exposures) {
        if (ticket == 0 && !ends[rank].stopped) {
          throw new AssertionError("closed twice");
        }
        ticket = 0;
      }
    }
  }

  /** Creates a network without shared memory. */
  public MemoryNetwork(int size, long seed, Options options) {
    this(size, seed, options, null);
  }

  /**
   * Creates a network.
   *
   * @param nodes the node of each rank, with which it shares memory
   */
  public MemoryNetwork(int size, long seed, Options options, int @Nullable [] nodes) {
    this.options = options;
    this.shares = new MemoryShare[nodes == null ? 0 : size];
    if (nodes != null) {
      Map<String, MemorySegment> shared = new ConcurrentHashMap<>();
      for (int i = 0; i < size; i++) {
        shares[i] = new MemoryShare(i, nodes, shared, this::nudge);
      }
    }
    rings = new Ring[size][size];
    ends = new End[size];
    for (int i = 0; i < size; i++) {
      ends[i] = new End(i, new Random(seed * 31 + i));
      for (int j = 0; j < size; j++) {
        rings[i][j] = new Ring();
      }
    }
  }

  /** A network without faults, whose ranks share memory within nodes. */
  public static MemoryNetwork ofNodes(int[] nodes) {
    return new MemoryNetwork(nodes.length, 1, Options.PLAIN, nodes);
  }

  /** A rank's transport. */
  public Transport transport(int rank) {
    return ends[rank];
  }

  private void nudge(int from, int to) {
    ends[from].pause();
    ends[to].wakeup();
  }

  /** Makes an offer of a rank to a peer throw, after this many successful ones. */
  public void failOffer(int rank, int peer, int after) {
    ends[rank].failing = peer;
    ends[rank].failsAfter = after;
  }

  /** From now on a sleeping rank sleeps until it is woken, without a timeout. */
  public void sleepUntilWoken() {
    untilWoken = true;
  }

  /** The number of current exposures. */
  public int exposures() {
    synchronized (exposures) {
      return (int) exposures.stream().filter(e -> e.ticket != 0).count();
    }
  }

  /** The number of bytes read so far. */
  public long bytesRead() {
    synchronized (exposures) {
      return bytesRead;
    }
  }

  /** The number of frames sent so far, except the repeated requests to ranks that have left. */
  public long sent() {
    return sent.get();
  }

  /** The maximum number of bytes in flight from one rank to another. */
  public long capacity() {
    return (long) options.slots * (FrameLayout.HEADER_BYTES + options.maxPayload);
  }

  private final class Ring {
    final int slotBytes = FrameLayout.HEADER_BYTES + options.maxPayload;

    /** Allocated by the first send: most pairs of many ranks never send. */
    MemorySegment memory = MemorySegment.NULL;

    final AtomicLong written = new AtomicLong();
    final AtomicLong read = new AtomicLong();
  }

  /** A read of another rank's memory in progress. */
  private static final class Reading {
    int peer;
    long ticket;
    Object base = MemorySegment.NULL;
    long offset;
    long bytes;
    long id;
    long done;
  }

  private final class End implements Transport, RemoteMemory {
    private static final long LEAST_BYTES = 1 << 10;
    private static final long PIECE_BYTES = 1 << 10;
    private static final int MOST_PAUSE_NANOS = 100_000;

    private final List<Reading> readings = new ArrayList<>();

    /** Completed reads, to be reused. */
    private final ArrayDeque<Reading> ended = new ArrayDeque<>();

    private boolean stopped;

    /** The number of successful offers before one to this rank throws; negative for none. */
    private int failing = -1;

    private int failsAfter;

    private final int rank;
    private final Random random;
    private final boolean[] unreachable = new boolean[rings.length];

    /** The closed peers that were reported to this rank. */
    private final boolean[] lost = new boolean[rings.length];

    private volatile boolean closed;
    private volatile boolean signal;

    /** Whether anything has happened since a poll that found no work. */
    private volatile boolean news = true;

    private volatile @Nullable Thread sleeper;

    End(int rank, Random random) {
      this.rank = rank;
      this.random = random;
    }

    @Override
    public String name() {
      return "memory";
    }

    @Override
    public byte[] endpoint() {
      return new byte[] {(byte) rank};
    }

    @Override
    public void start(Endpoints endpoints) {
      for (int peer = 0; peer < endpoints.size(); peer++) {
        unreachable[peer] = !endpoints.has(peer);
      }
    }

    @Override
    public boolean reaches(int peer) {
      return peer < ends.length && !unreachable[peer];
    }

    @Override
    public int maxPayload() {
      return options.maxPayload;
    }

    @Override
    public int eagerLimit() {
      return options.eagerLimit;
    }

    @Override
    public boolean offer(int peer, Frame frame) {
      if (frame.payload > options.maxPayload) {
        throw new IllegalArgumentException("payload of " + frame.payload);
      }
      if (peer == failing && failsAfter-- == 0) {
        failing = -1;
        throw new FmiException(ErrorClass.OTHER, "no room");
      }
      pause();
      Ring ring = rings[rank][peer];
      long at = ring.written.get();
      if (at - ring.read.get() == options.slots) {
        return false;
      }
      if (options.refuse > 0 && random.nextDouble() < options.refuse) {
        signal = true; // no other signal would report that there is room again
        return false;
      }
      if (ring.memory.byteSize() == 0) {
        ring.memory = MemorySegment.ofArray(new byte[options.slots * ring.slotBytes]);
      }
      long slot = at % options.slots * ring.slotBytes;
      frame.encode(ring.memory, slot);
      ring.written.set(at + 1);
      if (frame.kind < FrameKind.ASK) {
        sent.incrementAndGet();
      }
      ends[peer].wakeup();
      return true;
    }

    void pause() {
      if (options.pause > 0 && random.nextDouble() < options.pause) {
        LockSupport.parkNanos(random.nextInt(MOST_PAUSE_NANOS));
      }
    }

    @Override
    public @Nullable NodeShare share() {
      return shares.length == 0 ? null : shares[rank];
    }

    @Override
    public boolean handedOver(int peer) {
      return !holding;
    }

    @Override
    public int poll(FrameHandler handler) {
      if (!news) {
        return advance(handler);
      }
      news = false;
      int work = 0;
      for (int peer = 0; peer < ends.length; peer++) {
        Ring ring = rings[peer][rank];
        boolean gone = ends[peer].closed; // read before the last check of its frames
        long at = ring.read.get();
        while (at != ring.written.get()
            && (options.delay == 0 || random.nextDouble() >= options.delay)) {
          handler.onFrame(peer, ring.memory, at % options.slots * ring.slotBytes);
          at++;
          ring.read.set(at);
          work++;
          ends[peer].wakeup();
        }
        if (at != ring.written.get()) {
          signal = true; // skipped, for now
          news = true;
        } else if (gone && peer != rank && !lost[peer]) {
          lost[peer] = true;
          work++;
          handler.onPeerLost(peer, "closed");
        }
      }
      return work + advance(handler);
    }

    @Override
    public @Nullable RemoteMemory remoteMemory() {
      return options.remote ? this : null;
    }

    @Override
    public long leastBytes() {
      return LEAST_BYTES;
    }

    @Override
    public @Nullable Exposure expose(MemorySegment memory, long offset, long bytes, long[] ticket) {
      if (options.refuse > 0 && random.nextDouble() < options.refuse) {
        return null;
      }
      synchronized (exposures) {
        Exposed e = exposed(rank, 0);
        if (e == null) {
          e = new Exposed(rank);
          exposures.add(e);
        }
        e.memory = memory;
        e.offset = offset;
        e.bytes = bytes;
        e.ticket = ++tickets;
        ticket[0] = e.ticket;
        ticket[1] = ~e.ticket;
        return e;
      }
    }

    private @Nullable Exposed exposed(int owner, long ticket) {
      for (int i = 0; i < exposures.size(); i++) {
        Exposed e = exposures.get(i);
        if (e.ticket == ticket && e.rank == owner) {
          return e;
        }
      }
      return null;
    }

    @Override
    public boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id) {
      if (stopped || ticket[1] != ~ticket[0]) {
        throw new AssertionError("stopped: " + stopped + ", ticket " + ticket[0]);
      }
      if (options.refuse > 0 && random.nextDouble() < options.refuse) {
        return false;
      }
      if (base instanceof boolean[]) {
        return false; // its elements are larger than bytes
      }
      Reading r = ended.isEmpty() ? new Reading() : ended.pop();
      r.peer = peer;
      r.ticket = ticket[0];
      r.base = base;
      r.offset = offset;
      r.bytes = bytes;
      r.id = id;
      r.done = 0;
      readings.add(r);
      return true;
    }

    /** Reads a piece of some messages. */
    private int advance(FrameHandler handler) {
      int work = 0;
      int left = readings.size();
      for (int i = 0; left > 0 && i < readings.size(); left--) {
        Reading r = readings.get(i);
        if (options.delay > 0 && random.nextDouble() < options.delay) {
          signal = true;
          i++;
          continue;
        }
        boolean first = r.done == 0;
        if (!readPiece(r)) {
          i++;
          continue;
        }
        work++;
        boolean whole = r.done == r.bytes;
        if (whole || (first && options.refuse > 0 && random.nextDouble() < options.refuse)) {
          readings.remove(i);
          ended.push(r);
          handler.onRead(r.peer, r.id, whole);
        } else {
          signal = true; // no other signal would resume the read
          i++;
        }
      }
      return work;
    }

    /** Returns false if the owner of the memory has stopped. */
    private boolean readPiece(Reading r) {
      synchronized (exposures) {
        Exposed exposed = exposed(r.peer, r.ticket);
        if (exposed == null) {
          return false;
        }
        if (exposed.bytes != r.bytes) {
          throw new AssertionError("not what was exposed");
        }
        long piece = Math.min(PIECE_BYTES, r.bytes - r.done);
        Memory.fromSegment(
            exposed.memory, exposed.offset + r.done, r.base, r.offset + r.done, piece);
        r.done += piece;
        bytesRead += piece;
        return true;
      }
    }

    @Override
    public void stop() {
      stopped = true;
      readings.clear();
      synchronized (exposures) {
        exposures.stream().filter(e -> e.rank == rank).forEach(e -> e.ticket = 0);
      }
    }

    @Override
    public void await(long maxNanos) {
      sleeper = Thread.currentThread();
      if (!signal) {
        LockSupport.parkNanos(this, untilWoken ? Long.MAX_VALUE : maxNanos);
      }
      sleeper = null;
      signal = false;
    }

    @Override
    public int bell() {
      throw new UnsupportedOperationException("it is the only transport");
    }

    @Override
    public boolean arm(int bell) {
      throw new UnsupportedOperationException("it is the only transport");
    }

    @Override
    public void wakeup() {
      news = true;
      signal = true;
      Thread t = sleeper;
      if (t != null) {
        LockSupport.unpark(t);
      }
    }

    @Override
    public void close() {
      closed = true;
      for (End end : ends) {
        end.wakeup();
      }
    }
  }
}
