package org.fmi.logring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.fmi.rules.LogRing;
import org.fmi.rules.LogRing.Notice;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Runs a {@link LogRing} on real links, for one epoch.
 *
 * <p>A rank may offer links of several kinds. All ranks use the first kind that each of them
 * offers; as all ranks have all offers, they choose alike.
 */
public final class LogRingDetector implements FailureDetector, RingLinks.Handler {
  private static final byte NOTICE = 1;
  private static final byte GOODBYE = 2;
  private static final int NOTICE_BYTES = 1 + 3 * Integer.BYTES;
  private static final int NO_RANK = -1;

  private final RankConfig config;
  private final int epoch;
  private final Listener listener;
  private final Gate gate;
  private final Set<Integer> neighbours;

  /** Guarded by its own lock. */
  private final LogRing ring;

  /** Best first. After {@link #connect} only one of them is open. */
  private final List<RingLinks> offered = new CopyOnWriteArrayList<>();

  /** Neighbours that have said goodbye; used on the thread of the chosen links. */
  private final Set<Integer> left = new HashSet<>();

  private volatile String transport = "";

  // Conditions for connect(); guarded by this.
  private int linksMade;
  private @Nullable String failure;
  private boolean closed;

  LogRingDetector(RankConfig config, int epoch, Listener listener) {
    this(config, epoch, listener, new Turnstile());
  }

  /**
   * A detector without links.
   *
   * @param gate where the program's thread waits for the links
   */
  public LogRingDetector(RankConfig config, int epoch, Listener listener, Gate gate) {
    this.config = config;
    this.epoch = epoch;
    this.listener = listener;
    this.gate = gate;
    this.ring = new LogRing(config.size(), config.rank(), config.job().logRingBase());
    this.neighbours = ring.neighbours();
  }

  /**
   * A gate at which one thread waits for changes by other threads; it checks its condition after
   * each {@link #await}. Injected, so that a simulation can wait in simulated time.
   */
  public interface Gate {
    /** Blocks until {@link #open} is called; calls since the last await count, once. */
    void await();

    /** Ends {@link #await} now, or the next one at once. Never blocks. */
    void open();
  }

  /** The gate of a real thread. An interrupt belongs to the program, and is preserved. */
  private static final class Turnstile implements Gate {
    private final Semaphore changes = new Semaphore(0);

    @Override
    public void await() {
      changes.acquireUninterruptibly();
      changes.drainPermits();
    }

    @Override
    public void open() {
      changes.release();
    }
  }

  /** Creates links of one kind. */
  public interface Opener {
    RingLinks open(RankConfig config, int epoch, Set<Integer> neighbours, RingLinks.Handler handler)
        throws IOException;
  }

  /** Offers links of a kind, with lower preference than earlier offers. */
  public void offer(Opener opener) throws IOException {
    offered.add(opener.open(config, epoch, neighbours, this));
  }

  @Override
  public byte[] endpoint() {
    Map<String, byte[]> endpoints = new LinkedHashMap<>();
    offered.forEach(links -> endpoints.put(links.name(), links.endpoint()));
    return new Offer(endpoints).bytes();
  }

  @Override
  public String transport() {
    return transport;
  }

  @Override
  public void connect(Endpoints endpoints) throws IOException {
    RingLinks links = choose(endpoints);
    transport = links.name();
    for (int peer : ring.connectsTo()) {
      links.connect(peer, Offer.of(endpoints.get(peer)).endpoint(links.name()));
    }
    for (RingLinks other : offered) {
      if (!other.equals(links)) {
        other.close();
      }
    }
    awaitLinks();
  }

  /** The best links that all ranks offer. */
  private RingLinks choose(Endpoints endpoints) throws IOException {
    StringBuilder lacking = new StringBuilder();
    for (RingLinks links : offered) {
      int without = firstWithout(links.name(), endpoints);
      if (without == NO_RANK) {
        return links;
      }
      lacking.append("; rank ").append(without).append(" has no ").append(links.name());
    }
    throw new IOException("no kind of link is offered by all ranks" + lacking);
  }

  private static int firstWithout(String links, Endpoints endpoints) {
    for (int rank = 0; rank < endpoints.size(); rank++) {
      if (!Offer.of(endpoints.get(rank)).has(links)) {
        return rank;
      }
    }
    return NO_RANK;
  }

  private void awaitLinks() throws IOException {
    while (!isDecided()) {
      gate.await();
    }
    synchronized (this) {
      if (failure != null || closed) {
        throw new IOException(
            "the log-ring of epoch "
                + epoch
                + " cannot be connected: "
                + (failure == null ? "closed" : failure));
      }
    }
  }

  private synchronized boolean isDecided() {
    return linksMade >= neighbours.size() || failure != null || closed;
  }

  @Override
  public void announce(int rank, String reason) {
    // Before connect() either thread may survive; the second one finds the failure already known.
    offered.forEach(links -> links.execute(() -> lost(rank, reason)));
  }

  private void lost(int rank, String reason) {
    Notice notice;
    synchronized (ring) {
      notice = ring.lost(rank);
    }
    forward(notice, NO_RANK, reason);
  }

  /** Forwards and reports a notice, unless it is null. */
  private void forward(@Nullable Notice notice, int from, String reason) {
    if (notice == null) {
      return;
    }
    byte[] frame = frame(LogRing.forward(notice));
    for (RingLinks links : offered) {
      for (int peer : neighbours) {
        if (peer != from && peer != notice.failed()) {
          links.send(peer, frame);
        }
      }
    }
    listener.onFailure(notice.failed(), notice.hops(), reason);
    synchronized (this) {
      failure = "rank " + notice.failed() + " has failed: " + reason;
    }
    gate.open();
  }

  private byte[] frame(Notice notice) {
    return ByteBuffer.allocate(NOTICE_BYTES)
        .put(NOTICE)
        .putInt(epoch)
        .putInt(notice.failed())
        .putInt(notice.hops())
        .array();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    gate.open();
    for (RingLinks links : offered) {
      neighbours.forEach(peer -> links.send(peer, new byte[] {GOODBYE}));
      links.close();
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  // ---- events of the links

  @Override
  public void onOpen(int peer) {
    synchronized (this) {
      linksMade++;
    }
    gate.open();
  }

  @Override
  public boolean onFrame(int peer, ByteBuffer frame) {
    byte kind = frame.get();
    if (kind == GOODBYE) {
      left.add(peer);
      return true;
    }
    if (kind != NOTICE || frame.remaining() != NOTICE_BYTES - 1 || frame.getInt() != epoch) {
      return false;
    }
    Notice notice = new Notice(frame.getInt(), frame.getInt());
    if (notice.failed() < 0 || notice.failed() >= config.size()) {
      return false;
    }
    Notice news;
    synchronized (ring) {
      news = ring.receive(notice);
    }
    forward(news, peer, "notice of rank " + peer);
    return true;
  }

  @Override
  public void onClosed(int peer, String reason) {
    if (!left.contains(peer) && !isClosed()) {
      lost(peer, reason);
    }
  }

  @Override
  public void onBroken(String reason) {
    // Blaming unreachable neighbours could kill a healthy process.
    if (!isClosed()) {
      lost(config.rank(), reason);
    }
  }
}
