package org.fmi.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import org.fmi.node.PrivateFile;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Medium;
import org.fmi.spi.NodeShare;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames between the ranks of one node: one {@link RingLayout ring} per ordered pair that
 * communicates, created by its writer on first use. If checkpoints have taken the room for the
 * planned size, the ring has the smallest size.
 *
 * <p><b>Loss.</b> The transport reports a peer that closes its transport, but not one whose process
 * dies, which shared memory does not reveal. The node's daemon and the failure detector detect it.
 *
 * <p><b>Waking a sleeper</b> must not slow down senders to a rank that is awake: they only read the
 * bell's word after each frame, without a fence. So a sender may read "awake" just before the
 * sleeper writes its port, while its frame is still in its core's store buffer, invisible to the
 * sleeper's last look. A store buffer drains within microseconds. Hence the first sleep after the
 * word was written is short, and the sleeper looks again; a sender that reads the word later rings.
 */
final class ShmTransport implements Transport {
  static final String NAME = "shm";

  /**
   * The frame size of long messages: the receiver copies one frame while the sender copies the
   * next.
   */
  static final int MAX_PAYLOAD = 16 << 10;

  /**
   * The frame size with more ranks than cores, where sender and receiver take turns: a message of
   * one frame takes one turn each, and an announced one two more.
   */
  static final int MAX_PAYLOAD_IN_TURNS = 128 << 10;

  private static final long FIRST_SLEEP_NANOS = 1_000_000;

  private final RankConfig config;
  private final Arena arena = Arena.ofShared();
  private final NodeFiles files;
  private final String name;
  private final byte[] endpoint;
  private final Inbox inbox;
  private final Neighbours neighbours;
  private final RingMaker ringMaker;
  private final ShmShare share;
  private final PeerMemory memory;

  private InRing[] incoming = {};
  private int newsSeen;
  private volatile @Nullable Bell bell;
  private volatile boolean woken;
  private boolean closed;

  ShmTransport(RankConfig config, int epoch, Diagnostics diagnostics) throws IOException {
    this(config, epoch, bytes -> {}, diagnostics);
  }

  /**
   * @param room checked before each file is created
   * @param diagnostics receives messages for the user
   */
  ShmTransport(RankConfig config, int epoch, PrivateFile.Room room, Diagnostics diagnostics)
      throws IOException {
    this.config = config;
    this.files = new NodeFiles(Path.of(config.nodeDirectory()), arena, room);
    this.name = NodeFiles.inboxName(config.rank(), config.incarnation(), epoch);
    this.neighbours = new Neighbours(config.rank(), config.size(), files);
    this.ringMaker = new RingMaker(config, epoch, files, name, diagnostics);
    this.share = new ShmShare(files, name, neighbours);
    try {
      files.sweep(config.rank(), config.incarnation(), epoch);
      ringMaker.check();
      this.inbox = new Inbox(files.create(name, Inbox.bytes(config.size())));
      this.memory = new PeerMemory(neighbours, inbox, arena);
      this.endpoint = Neighbours.endpoint(name, files.node());
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Medium medium() {
    return Medium.SHARED_MEMORY;
  }

  @Override
  public byte[] endpoint() {
    return endpoint.clone();
  }

  @Override
  public void start(Endpoints endpoints) {
    neighbours.start(endpoint, endpoints);
    ringMaker.plan(neighbours.all().size() + 1);
  }

  @Override
  public boolean reaches(int peer) {
    return neighbours.get(peer) != null;
  }

  @Override
  public int maxPayload() {
    return ringMaker.maxPayload();
  }

  @Override
  public int eagerLimit() {
    return ringMaker.maxPayload();
  }

  // ---- sending

  @Override
  public boolean offer(int peer, Frame frame) {
    OutRing ring = neighbours.ring(peer);
    if (ring == null) {
      ring = connect(peer);
      if (ring == null) {
        return false;
      }
    }
    boolean taken;
    try {
      taken = ring.offer(frame);
    } catch (DamagedRing e) {
      damaged(peer, "the ring to rank " + peer, e);
      return false;
    }
    if (ring.inbox.bell() != Inbox.AWAKE) {
      neighbours.notAwake(peer, ring.inbox);
    }
    return taken;
  }

  private @Nullable OutRing connect(int peer) {
    Neighbour n = neighbours.get(peer);
    if (n == null) {
      throw new IllegalArgumentException("rank " + peer + " is not reached by shm");
    }
    if (n.lost) {
      return null;
    }
    Inbox theirs = neighbours.openInbox(n);
    if (theirs == null) {
      return null;
    }
    OutRing ring = ringMaker.make(peer, theirs);
    if (ring != null) {
      neighbours.setRing(peer, ring);
    }
    return ring;
  }

  // ---- receiving

  @Override
  public int poll(FrameHandler handler) {
    int work = 0;
    for (InRing ring : incoming) {
      work += read(ring, handler);
    }
    if (memory.isReading()) {
      work += memory.poll(handler);
    }
    if (inbox.news() != newsSeen) {
      work += attend();
    }
    if (neighbours.anyLoss()) {
      work += report(handler);
    }
    return work;
  }

  /**
   * Reads frames, and returns their room even if the handler throws, or the ring would stay full.
   */
  private int read(InRing ring, FrameHandler handler) {
    try {
      return ring.poll(handler);
    } catch (DamagedRing e) {
      damaged(ring.peer, "the ring from rank " + ring.peer, e);
      return 1;
    } finally {
      if (ring.publish()) {
        wakeWriter(ring);
      }
    }
  }

  /** Loses a neighbour without reading the rest of its frames. */
  private void damaged(int peer, String ring, DamagedRing how) {
    Neighbour n = Objects.requireNonNull(neighbours.get(peer));
    n.damage = ring + " in shared memory is damaged: " + how.getMessage();
    incoming = Arrays.stream(incoming).filter(each -> each.peer != peer).toArray(InRing[]::new);
    neighbours.lose(n);
  }

  private void wakeWriter(InRing ring) {
    Inbox writers = ring.inbox;
    if (writers != null) {
      neighbours.wake(writers);
    }
  }

  /** Handles neighbours that have made rings or left. */
  private int attend() {
    int news = inbox.news();
    int work = 0;
    for (Neighbour n : neighbours.all()) {
      int state = inbox.state(n.rank);
      if (n.incoming == null && (state & Inbox.RING) != 0) {
        take(n);
        work++;
      }
      if ((state & Inbox.LEFT) != 0) {
        neighbours.lose(n);
      }
    }
    newsSeen = news; // not before: a ring that could not be mapped is tried again
    return work;
  }

  private void take(Neighbour n) {
    String file = NodeFiles.ringName(n.name, config.rank());
    try {
      MemorySegment memory = files.open(file);
      RingLayout theirs = RingLayout.ofFile(memory.byteSize());
      InRing ring = new InRing(n.rank, memory, theirs, neighbours.inboxOf(n));
      files.delete(file);
      n.incoming = ring;
      incoming = Arrays.copyOf(incoming, incoming.length + 1);
      incoming[incoming.length - 1] = ring;
    } catch (NoSuchFileException e) {
      // It was killed, and its replacement has deleted its files.
      neighbours.lose(n);
    } catch (IOException e) {
      throw NodeFiles.failed(e);
    }
  }

  private int report(FrameHandler handler) {
    int work = 0;
    for (Neighbour n; (n = neighbours.firstLoss()) != null; ) {
      work++;
      // Its frames come first; it has announced its ring before it left.
      attend();
      InRing ring = n.incoming;
      while (ring != null && n.damage == null && read(ring, handler) > 0) {
        // There may be more.
      }
      neighbours.removeLoss();
      handler.onPeerLost(n.rank, n.damage == null ? "closed by the peer" : n.damage);
    }
    return work;
  }

  // ---- memory of other ranks, and for collectives

  @Override
  public RemoteMemory remoteMemory() {
    return memory;
  }

  @Override
  public NodeShare share() {
    return share;
  }

  // ---- waiting

  @Override
  public void await(long maxNanos) {
    Bell b = openBell();
    boolean armed = arm(b.port());
    if (maxNanos > 0 && !woken && !mayHaveWork()) {
      b.await(armed ? maxNanos : Math.min(maxNanos, FIRST_SLEEP_NANOS));
    }
    woken = false;
  }

  private boolean mayHaveWork() {
    for (InRing ring : incoming) {
      if (ring.ready()) {
        return true;
      }
    }
    for (Neighbour n : neighbours.all()) {
      OutRing ring = neighbours.ring(n.rank);
      if (ring != null && ring.hasRoomAgain()) {
        return true;
      }
    }
    return inbox.news() != newsSeen || neighbours.anyLoss() || memory.isReading();
  }

  private Bell openBell() {
    Bell b = bell;
    if (b == null) {
      b = new Bell();
      bell = b;
    }
    return b;
  }

  @Override
  public int bell() {
    return openBell().port();
  }

  @Override
  public boolean arm(int port) {
    return inbox.arm(port);
  }

  @Override
  public void wakeup() {
    woken = true;
    Bell b = bell;
    if (b != null) {
      b.wakeup();
    }
  }

  // ---- the end

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    memory.stop();
    inbox.close();
    try {
      try {
        neighbours.leave(inbox);
        share.hideAll();
        Bell b = bell;
        if (b != null) {
          b.close();
        }
      } finally {
        incoming = new InRing[0];
        neighbours.forget();
        share.close();
        arena.close();
        // Last: it stands for all mapped memory.
        files.delete(name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("shm: cannot clean up", e);
    }
  }
}
