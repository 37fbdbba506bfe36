package org.fmi.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.node.BellRope;
import org.fmi.node.PrivateFile;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.NodeShare;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames between the ranks of one node: a {@link RingLayout ring} for each ordered pair
 * that talks, made by its writer on first use. One that the planned size has no room for, because
 * checkpoints have taken it, is made as small as rings can be.
 *
 * <p><b>Loss.</b> A peer that closes its transport is reported, one whose process dies is not:
 * shared memory cannot tell. The node's daemon and the failure detector see that.
 *
 * <p><b>Waking a sleeper</b> must not cost those that send to one who is awake: they only read the
 * bell's word after each frame, without a fence. So a sender may read "awake" just before the
 * sleeper writes its port, while its frame is still in its core's store buffer, invisible to the
 * sleeper's last look. A store buffer drains within microseconds. Hence the first sleep after the
 * word was written is short, and the sleeper looks again; a sender that reads the word later rings.
 */
final class ShmTransport implements Transport, NodeShare {
  static final String NAME = "shm";
  static final int MAX_PAYLOAD = 16 << 10;

  private static final long FIRST_SLEEP_NANOS = 1_000_000;
  private static final int KIB_SHIFT = 10;
  private static final int MIB_SHIFT = 20;

  private final RankConfig config;
  private final int epoch;
  private final Consumer<String> warning;
  private final Arena arena = Arena.ofShared();
  private final NodeFiles files;
  private final String name;
  private final byte[] endpoint;
  private final Inbox inbox;

  /** By rank: the others of this node. */
  private final @Nullable Neighbour[] neighbours;

  private final List<Neighbour> all = new ArrayList<>();

  /** By rank: the number of its node, negative if it does not use this transport. */
  private final int[] nodes;

  /** By rank. */
  private final @Nullable OutRing[] outgoing;

  /** No rank of this node is in an epoch before any more. */
  private boolean earlierGone;

  private RingLayout layout = RingLayout.of(1);

  /** The user was told that there is no room for rings of this layout. */
  private boolean scarce;

  private InRing[] incoming = {};
  private int newsSeen;

  /** Files for collectives that others may still open. */
  private final Set<String> notHidden = new HashSet<>();

  /** Memory for collectives that is mapped here, by its address. */
  private final Map<Long, Arena> shared = new HashMap<>();

  private final ArrayDeque<Neighbour> losses = new ArrayDeque<>();
  private volatile @Nullable Bell bell;
  private volatile boolean woken;
  private @Nullable BellRope rope;
  private boolean closed;

  /** Another rank of this node. */
  private static final class Neighbour {
    final int rank;
    final String name;

    /** Null before something is to be said to it. */
    @Nullable Inbox inbox;

    @Nullable InRing incoming;
    boolean lost;

    Neighbour(int rank, String name) {
      this.rank = rank;
      this.name = name;
    }
  }

  ShmTransport(RankConfig config, int epoch) throws IOException {
    this(config, epoch, bytes -> {}, System.err::println);
  }

  /**
   * @param room asked before each file is made
   * @param warning what the user should know, a line each
   */
  ShmTransport(RankConfig config, int epoch, PrivateFile.Room room, Consumer<String> warning)
      throws IOException {
    this.config = config;
    this.epoch = epoch;
    this.warning = warning;
    this.files = new NodeFiles(Path.of(config.nodeDirectory()), arena, room);
    this.name = NodeFiles.inboxName(config.rank(), config.incarnation(), epoch);
    this.neighbours = new Neighbour[config.size()];
    this.nodes = new int[config.size()];
    this.outgoing = new OutRing[config.size()];
    try {
      files.sweep(config.rank(), config.incarnation(), epoch);
      // Memory of the epoch before comes back: what is free now says nothing.
      if (!files.earlier(epoch) && RingLayout.nodeBytes(config.ranksOnNode()) > files.freeBytes()) {
        throw new IOException(noRoom(config.ranksOnNode()));
      }
      this.inbox = new Inbox(files.create(name, Inbox.bytes(config.size())));
      this.endpoint = (name + "@" + files.node()).getBytes(StandardCharsets.UTF_8);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private String noRoom(int ranks) throws IOException {
    return "shm: the rings of %d ranks need up to %d MiB in %s, %d MiB are free; fewer ranks a node (--ppn), --transport tcp, or a larger /dev/shm would help"
        .formatted(
            ranks,
            Math.ceilDiv(RingLayout.nodeBytes(ranks), 1L << MIB_SHIFT),
            config.nodeDirectory(),
            files.freeBytes() >> MIB_SHIFT);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte[] endpoint() {
    return endpoint.clone();
  }

  @Override
  public void start(byte[][] endpoints) {
    String node = nodeOf(endpoint);
    Map<String, Integer> numbers = new HashMap<>();
    for (int rank = 0; rank < endpoints.length; rank++) {
      nodes[rank] =
          endpoints[rank].length == 0
              ? -1
              : numbers.computeIfAbsent(nodeOf(endpoints[rank]), _ -> numbers.size());
      if (rank != config.rank() && node.equals(nodeOf(endpoints[rank]))) {
        String text = new String(endpoints[rank], StandardCharsets.UTF_8);
        Neighbour n = new Neighbour(rank, text.substring(0, text.indexOf('@')));
        neighbours[rank] = n;
        all.add(n);
      }
    }
    // Counted anew: a node may have taken in ranks of one that was lost.
    layout = RingLayout.of(all.size() + 1);
  }

  private static String nodeOf(byte[] endpoint) {
    String text = new String(endpoint, StandardCharsets.UTF_8);
    return text.substring(text.indexOf('@') + 1);
  }

  @Override
  public boolean reaches(int peer) {
    return neighbours[peer] != null;
  }

  @Override
  public int maxPayload() {
    return MAX_PAYLOAD;
  }

  @Override
  public int eagerLimit() {
    return MAX_PAYLOAD;
  }

  // ---- sending

  @Override
  public boolean offer(int peer, Frame frame) {
    OutRing ring = outgoing[peer];
    if (ring == null) {
      ring = connect(peer);
      if (ring == null) {
        return false;
      }
    }
    boolean taken = ring.offer(frame);
    if (ring.inbox.bell() != Inbox.AWAKE) {
      notAwake(peer, ring.inbox);
    }
    return taken;
  }

  private @Nullable OutRing connect(int peer) {
    Neighbour n = neighbours[peer];
    if (n == null) {
      throw new IllegalArgumentException("rank " + peer + " is not reached by shm");
    }
    if (n.lost) {
      return null;
    }
    Inbox theirs = openInbox(n);
    if (theirs == null) {
      return null;
    }
    try {
      return make(peer, layout, theirs);
    } catch (IOException e) {
      if (earlierGone) {
        return makeSmallest(peer, theirs, e);
      }
      // It may be the room that a neighbour still holds in the epoch before: tried again later.
      earlierGone = !anyEarlier();
      return null;
    }
  }

  private OutRing make(int peer, RingLayout size, Inbox theirs) throws IOException {
    String file = NodeFiles.ringName(name, peer);
    OutRing ring = new OutRing(files.create(file, size.fileBytes()), size, theirs);
    outgoing[peer] = ring;
    theirs.tell(config.rank(), Inbox.RING);
    return ring;
  }

  /** When there was room for all rings at the start, and something else has taken it since. */
  private OutRing makeSmallest(int peer, Inbox theirs, IOException why) {
    RingLayout smallest = RingLayout.smallest();
    try {
      OutRing ring = make(peer, smallest, theirs);
      if (!scarce && !layout.equals(smallest)) {
        scarce = true;
        warning.accept(
            "fmi: rank %d sends through rings of %d KiB instead of %d: %s"
                .formatted(
                    config.rank(),
                    smallest.fileBytes() >> KIB_SHIFT,
                    layout.fileBytes() >> KIB_SHIFT,
                    why.getMessage()));
      }
      return ring;
    } catch (IOException e) {
      throw notMade(e);
    }
  }

  private boolean anyEarlier() {
    try {
      return files.earlier(epoch);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Says what would help if room is what is missing. */
  private FmiException notMade(IOException e) {
    try {
      if (files.freeBytes() < RingLayout.smallest().fileBytes()) {
        return new FmiException(ErrorClass.OTHER, e.getMessage() + "; " + noRoom(all.size() + 1));
      }
    } catch (IOException unknown) {
      e.addSuppressed(unknown);
    }
    return failed(e);
  }

  /** Null if it has left. */
  private @Nullable Inbox inboxOf(Neighbour n) throws IOException {
    Inbox theirs = n.inbox;
    if (theirs == null) {
      try {
        theirs = new Inbox(files.open(n.name));
        n.inbox = theirs;
      } catch (NoSuchFileException e) {
        return null;
      }
    }
    return theirs;
  }

  private static FmiException failed(IOException e) {
    return new FmiException(ErrorClass.OTHER, "shm: " + e.getMessage());
  }

  private void notAwake(int peer, Inbox theirs) {
    Neighbour n = neighbours[peer];
    if (n != null && theirs.bell() == Inbox.CLOSED) {
      lose(n);
    } else {
      wake(theirs);
    }
  }

  private void wake(Inbox theirs) {
    int port = theirs.bell();
    if (port > Inbox.AWAKE && theirs.take(port)) {
      ring(port);
    }
  }

  private void ring(int port) {
    try {
      BellRope r = rope;
      if (r == null) {
        r = new BellRope();
        rope = r;
      }
      r.ring(port);
    } catch (IOException e) {
      throw new UncheckedIOException("shm: cannot wake a neighbour at UDP port " + port, e);
    }
  }

  private void lose(Neighbour n) {
    outgoing[n.rank] = null;
    if (!n.lost) {
      n.lost = true;
      losses.add(n);
    }
  }

  // ---- receiving

  @Override
  public int poll(FrameHandler handler) {
    int work = 0;
    for (InRing ring : incoming) {
      work += read(ring, handler);
    }
    if (inbox.news() != newsSeen) {
      work += attend();
    }
    if (!losses.isEmpty()) {
      work += report(handler);
    }
    return work;
  }

  /** Gives the room of a frame back also if the handler throws, or the ring would stay full. */
  private int read(InRing ring, FrameHandler handler) {
    try {
      return ring.poll(handler);
    } finally {
      if (ring.tell()) {
        wakeWriter(ring);
      }
    }
  }

  private void wakeWriter(InRing ring) {
    Inbox writers = ring.inbox;
    if (writers != null) {
      wake(writers);
    }
  }

  /** Some neighbours have made rings or left. */
  private int attend() {
    int news = inbox.news();
    int work = 0;
    for (Neighbour n : all) {
      int state = inbox.state(n.rank);
      if (n.incoming == null && (state & Inbox.RING) != 0) {
        take(n);
        work++;
      }
      if ((state & Inbox.LEFT) != 0) {
        lose(n);
      }
    }
    newsSeen = news; // not before: a ring that could not be taken is tried again
    return work;
  }

  private void take(Neighbour n) {
    String file = NodeFiles.ringName(n.name, config.rank());
    try {
      MemorySegment memory = files.open(file);
      RingLayout theirs = RingLayout.ofFile(memory.byteSize());
      InRing ring = new InRing(n.rank, memory, theirs, inboxOf(n));
      files.delete(file);
      n.incoming = ring;
      incoming = Arrays.copyOf(incoming, incoming.length + 1);
      incoming[incoming.length - 1] = ring;
    } catch (NoSuchFileException e) {
      // It was killed, and its replacement has deleted what it has left.
      lose(n);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private int report(FrameHandler handler) {
    int work = 0;
    for (Neighbour n; (n = losses.peek()) != null; ) {
      work++;
      // What it sent before comes first; it has told of a ring before it left.
      attend();
      InRing ring = n.incoming;
      while (ring != null && read(ring, handler) > 0) {
        // More may be there.
      }
      losses.remove();
      handler.onPeerLost(n.rank, "closed by the peer");
    }
    return work;
  }

  // ---- memory for collectives

  @Override
  public NodeShare share() {
    return this;
  }

  @Override
  public int node(int rank) {
    return nodes[rank];
  }

  @Override
  public MemorySegment create(int key, long bytes) throws IOException {
    String file = NodeFiles.sharedName(name, key);
    MemorySegment memory = map(own -> files.create(file, bytes, own));
    notHidden.add(file);
    return memory;
  }

  @Override
  public MemorySegment open(int owner, int key) throws IOException {
    Neighbour n = neighbours[owner];
    if (n == null) {
      throw new IOException("rank " + owner + " is not on this node");
    }
    return map(own -> files.open(NodeFiles.sharedName(n.name, key), own));
  }

  private interface Mapping {
    MemorySegment in(Arena own) throws IOException;
  }

  private MemorySegment map(Mapping mapping) throws IOException {
    Arena own = Arena.ofShared();
    try {
      MemorySegment memory = mapping.in(own);
      shared.put(memory.address(), own);
      return memory;
    } catch (IOException | RuntimeException e) {
      own.close();
      throw e;
    }
  }

  @Override
  public void unmap(MemorySegment memory) {
    Arena own = shared.remove(memory.address());
    if (own != null) {
      own.close();
    }
  }

  @Override
  public void hide(int key) {
    String file = NodeFiles.sharedName(name, key);
    try {
      files.delete(file);
      notHidden.remove(file);
    } catch (IOException e) {
      // Stays among those that close() deletes, which tells if it still cannot.
    }
  }

  @Override
  public void nudge(int peer) {
    Neighbour n = neighbours[peer];
    if (n == null || n.lost) {
      return;
    }
    Inbox theirs = n.inbox;
    if (theirs == null) {
      theirs = openInbox(n);
    }
    if (theirs != null && theirs.bell() != Inbox.AWAKE) {
      notAwake(peer, theirs);
    }
  }

  private @Nullable Inbox openInbox(Neighbour n) {
    try {
      Inbox theirs = inboxOf(n);
      if (theirs == null) {
        lose(n);
      }
      return theirs;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  // ---- waiting

  @Override
  public void await(long maxNanos) {
    Bell b = openBell();
    boolean armed = arm(b.port());
    if (maxNanos > 0 && !woken && !somethingCame()) {
      b.await(armed ? maxNanos : Math.min(maxNanos, FIRST_SLEEP_NANOS));
    }
    woken = false;
  }

  private boolean somethingCame() {
    for (InRing ring : incoming) {
      if (ring.ready()) {
        return true;
      }
    }
    for (Neighbour n : all) {
      OutRing ring = outgoing[n.rank];
      if (ring != null && ring.goesOn()) {
        return true;
      }
    }
    return inbox.news() != newsSeen || !losses.isEmpty();
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
    inbox.close();
    try {
      try {
        for (Neighbour n : all) {
          leave(n);
        }
        for (String file : notHidden) {
          files.delete(file);
        }
        Bell b = bell;
        if (b != null) {
          b.close();
        }
        if (rope != null) {
          rope.close();
        }
      } finally {
        incoming = new InRing[0];
        Arrays.fill(outgoing, null);
        all.clear();
        shared.values().forEach(Arena::close);
        shared.clear();
        arena.close();
        // Last: it stands for all that was mapped.
        files.delete(name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("shm: cannot clean up", e);
    }
  }

  /** Tells it that this rank goes, and drops what it has sent. */
  private void leave(Neighbour n) throws IOException {
    if (n.incoming == null && (inbox.state(n.rank) & Inbox.RING) != 0) {
      files.delete(NodeFiles.ringName(n.name, config.rank()));
    }
    Inbox theirs = n.inbox;
    if (theirs != null) {
      theirs.tell(config.rank(), (outgoing[n.rank] == null ? 0 : Inbox.RING) | Inbox.LEFT);
      wake(theirs);
    }
  }
}
