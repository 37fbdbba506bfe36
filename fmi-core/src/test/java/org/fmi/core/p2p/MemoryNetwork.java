package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
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
 * Joins ranks in one JVM for tests: a ring of slots for each ordered pair. From a seed it refuses
 * offers and holds frames back now and then.
 */
public final class MemoryNetwork {
  /**
   * How it behaves.
   *
   * @param refuse how likely an offer is refused, 0 to below 1
   * @param delay how likely a poll passes over a peer, 0 to below 1
   * @param remote whether ranks can read each other's memory
   * @param pause how likely a rank that sends, or writes what another reads, pauses, 0 to 1
   */
  record Options(
      int maxPayload,
      int eagerLimit,
      int slots,
      double refuse,
      double delay,
      boolean remote,
      double pause) {
    static final Options PLAIN = new Options(16 << 10, 4 << 10, 64, 0, 0);
    static final Options ROUGH = new Options(128, 64, 4, 0.3, 0.3);

    /** Sends wait for their receives, but for empty ones and single bytes. */
    static final Options WAITING = new Options(4 << 10, 1, 16, 0, 0);

    /** Ranks run at different speeds. */
    static final Options UNEVEN = new Options(16 << 10, 4 << 10, 16, 0.1, 0.1, false, 0.15);

    /** Without remote memory. */
    Options(int maxPayload, int eagerLimit, int slots, double refuse, double delay) {
      this(maxPayload, eagerLimit, slots, refuse, delay, false, 0);
    }

    /** With it. */
    Options reading() {
      return new Options(maxPayload, eagerLimit, slots, refuse, delay, true, pause);
    }
  }

  private final Options options;
  private volatile boolean untilWoken;
  private final Ring[][] rings;
  private final End[] ends;
  private final MemoryShare[] shares;
  private final AtomicLong sent = new AtomicLong();

  /** What may be read, by the first word of its ticket. Guarded by itself. */
  private final Map<Long, Exposed> exposures = new HashMap<>();

  /** While it is true no transport says that what it has taken is handed over. */
  volatile boolean holding;

  private long tickets;
  private long bytesRead;

  private record Exposed(int rank, MemorySegment memory) {}

  /** Without memory that ranks share. */
  MemoryNetwork(int size, long seed, Options options) {
    this(size, seed, options, null);
  }

  /**
   * A network.
   *
   * @param nodes the node of each rank, with which it shares memory
   */
  MemoryNetwork(int size, long seed, Options options, int @Nullable [] nodes) {
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

  /** One that behaves well, of ranks that share memory with those of their node. */
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

  /** Lets an offer of a rank to another one throw, after this many that do not. */
  void failOffer(int rank, int peer, int after) {
    ends[rank].failing = peer;
    ends[rank].failsAfter = after;
  }

  /** From now on who sleeps does so until it is woken, however short it wanted to. */
  void sleepUntilWoken() {
    untilWoken = true;
  }

  /** How many times memory is exposed now. */
  int exposures() {
    synchronized (exposures) {
      return exposures.size();
    }
  }

  /** Bytes that have been read so far. */
  long bytesRead() {
    synchronized (exposures) {
      return bytesRead;
    }
  }

  /** Frames sent so far; without those by which ranks ask, again and again, who has left. */
  public long sent() {
    return sent.get();
  }

  /** Bytes on the way from one rank to another one at most. */
  long capacity() {
    return (long) options.slots * (FrameLayout.HEADER_BYTES + options.maxPayload);
  }

  private final class Ring {
    final int slotBytes = FrameLayout.HEADER_BYTES + options.maxPayload;

    /** Made by the first that sends: most pairs of many ranks never do. */
    MemorySegment memory = MemorySegment.NULL;

    final AtomicLong written = new AtomicLong();
    final AtomicLong read = new AtomicLong();
  }

  /** A message that a rank reads out of another's memory. */
  private static final class Reading {
    final int peer;
    final long ticket;
    final MemorySegment to;
    final long id;
    long done;

    Reading(int peer, long ticket, MemorySegment to, long id) {
      this.peer = peer;
      this.ticket = ticket;
      this.to = to;
      this.id = id;
    }
  }

  private final class End implements Transport, RemoteMemory {
    private static final long LEAST_BYTES = 1 << 10;
    private static final long PIECE_BYTES = 1 << 10;
    private static final int MOST_PAUSE_NANOS = 100_000;

    private final List<Reading> readings = new ArrayList<>();
    private boolean stopped;

    /** An offer to this rank throws, once, after this many that do not. */
    private int failing = -1;

    private int failsAfter;

    private final int rank;
    private final Random random;
    private final boolean[] unreachable = new boolean[rings.length];

    /** Those that have closed, as this rank was told. */
    private final boolean[] lost = new boolean[rings.length];

    private volatile boolean closed;
    private volatile boolean signal;

    /** Whether somebody has done something since a poll that found nothing. */
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
        signal = true; // nobody else would say that there is room again
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
        boolean gone = ends[peer].closed; // before the last look at what it has sent
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
          signal = true; // passed over, for now
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
        long number = ++tickets;
        ticket[0] = number;
        ticket[1] = ~number;
        exposures.put(number, new Exposed(rank, memory.asSlice(offset, bytes)));
        return () -> {
          synchronized (exposures) {
            if (exposures.remove(number) == null && !stopped) {
              throw new AssertionError("closed twice");
            }
          }
        };
      }
    }

    @Override
    public boolean read(int peer, long[] ticket, Object base, long offset, long bytes, long id) {
      if (stopped || ticket[1] != ~ticket[0]) {
        throw new AssertionError("stopped: " + stopped + ", ticket " + ticket[0]);
      }
      if (options.refuse > 0 && random.nextDouble() < options.refuse) {
        return false;
      }
      MemorySegment memory = Memory.view(base);
      if (memory == null) {
        return false;
      }
      readings.add(new Reading(peer, ticket[0], memory.asSlice(offset, bytes), id));
      return true;
    }

    /** Reads a piece of some messages. */
    private int advance(FrameHandler handler) {
      if (readings.isEmpty()) {
        return 0; // so that a poll allocates nothing, whatever the compiler makes of a copy
      }
      int work = 0;
      for (Reading r : List.copyOf(readings)) {
        if (options.delay > 0 && random.nextDouble() < options.delay) {
          signal = true;
          continue;
        }
        boolean first;
        synchronized (exposures) {
          Exposed exposed = exposures.get(r.ticket);
          if (exposed == null) {
            // Its owner has stopped.
            continue;
          }
          if (exposed.rank != r.peer || exposed.memory.byteSize() != r.to.byteSize()) {
            throw new AssertionError("not what was exposed");
          }
          long piece = Math.min(PIECE_BYTES, r.to.byteSize() - r.done);
          MemorySegment.copy(exposed.memory, r.done, r.to, r.done, piece);
          first = r.done == 0;
          r.done += piece;
          bytesRead += piece;
        }
        work++;
        if (first && r.done < r.to.byteSize() && random.nextDouble() < options.refuse) {
          readings.remove(r);
          handler.onRead(r.peer, r.id, false);
        } else if (r.done == r.to.byteSize()) {
          readings.remove(r);
          handler.onRead(r.peer, r.id, true);
        } else {
          signal = true; // nobody else reads the rest
        }
      }
      return work;
    }

    @Override
    public void stop() {
      stopped = true;
      readings.clear();
      synchronized (exposures) {
        exposures.values().removeIf(e -> e.rank == rank);
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
