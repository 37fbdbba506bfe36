package org.fmi.logring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.fmi.rules.LogRing;
import org.fmi.rules.LogRing.Notice;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FailureDetector;
import org.fmi.spi.OnFailure;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * A detector on real links, for one epoch: makes the links, and sends each notice over them once. A
 * subclass says which links, and who gets a notice.
 *
 * <p>A rank may offer links of several kinds. All ranks use the first kind that each of them
 * offers; as all ranks have all offers, they choose alike.
 *
 * <p>A link that ends is a failure. Silence is one too, unless the job continues without its dead:
 * death is final then, so the job looks first whether the silent rank lives.
 */
public abstract class RingDetector implements FailureDetector, RingLinks.Handler {
  private static final byte NOTICE = 1;
  private static final byte GOODBYE = 2;
  private static final int NOTICE_BYTES = 1 + 3 * Integer.BYTES;

  /** No rank: the news did not arrive over a link. */
  static final int NO_RANK = -1;

  final RankConfig config;
  private final int epoch;
  private final Listener listener;
  private final Gate gate;
  private final Set<Integer> neighbours;
  private final Set<Integer> connectsTo;

  /** Whether the epoch continues after a failure. */
  private final boolean continues;

  /** Best first. After {@link #connect} only one of them is open. */
  private final List<RingLinks> offered = new CopyOnWriteArrayList<>();

  /** Neighbours that have said goodbye; used on the thread of the chosen links. */
  private final Set<Integer> left = new HashSet<>();

  private volatile String transport = "";
  private volatile @Nullable RingLinks chosen;
  private volatile @Nullable Endpoints endpoints;

  // Conditions for connect(); guarded by this.
  private final Set<Integer> awaited;
  private @Nullable String failure;
  private boolean closed;

  /**
   * A detector without links.
   *
   * @param gate where the program's thread waits for the links
   * @param neighbours the ranks that it has links with from the start
   * @param connectsTo the neighbours that this rank connects to
   */
  RingDetector(
      RankConfig config,
      int epoch,
      Listener listener,
      Gate gate,
      Set<Integer> neighbours,
      Set<Integer> connectsTo) {
    this.config = config;
    this.epoch = epoch;
    this.listener = listener;
    this.gate = gate;
    this.neighbours = neighbours;
    this.connectsTo = connectsTo;
    this.awaited = new HashSet<>(neighbours);
    this.continues = config.job().onFailure() == OnFailure.SHRINK;
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
  static final class Turnstile implements Gate {
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

  /**
   * Notes a failure.
   *
   * @return the ranks to notify; null if the failure is already known
   */
  abstract @Nullable Collection<Integer> learn(Notice notice, int from);

  /** The failure of a rank is known here, and has been reported. */
  void learned(int failed) {}

  /** A rank that was silent lives. */
  void found(int rank) {}

  /** A neighbour leaves. */
  void leaves(int peer) {}

  /** The endpoints of all ranks are known. */
  void connecting() {}

  /** The ranks that may connect to this one. */
  Set<Integer> expected() {
    return neighbours;
  }

  /**
   * A frame of the subclass has arrived.
   *
   * @return whether it conforms to the protocol
   */
  boolean received(byte kind, int peer, ByteBuffer frame) {
    return false;
  }

  /** Adds links of a kind, with lower preference than earlier ones. */
  final <L extends RingLinks> L add(Opening<L> opening) throws IOException {
    L links = opening.open(config, epoch, expected(), this);
    offered.add(links);
    return links;
  }

  /** Creates links of one kind. */
  public interface Opening<L extends RingLinks> {
    L open(RankConfig config, int epoch, Set<Integer> neighbours, RingLinks.Handler handler)
        throws IOException;
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
  public void connect(Endpoints all) throws IOException {
    RingLinks links = choose(all);
    transport = links.name();
    endpoints = all;
    chosen = links;
    for (int peer : connectsTo) {
      links.connect(peer, Offer.of(all.get(peer)).endpoint(links.name()));
    }
    for (RingLinks other : offered) {
      if (!other.equals(links)) {
        other.close();
      }
    }
    links.execute(this::connecting);
    awaitLinks();
  }

  /** Makes a link, unless the endpoints are not known yet. On the thread of the links. */
  final void link(int peer) {
    RingLinks links = chosen;
    Endpoints all = endpoints;
    if (links == null || all == null || isClosed()) {
      return;
    }
    try {
      links.connect(peer, Offer.of(all.get(peer)).endpoint(links.name()));
    } catch (IOException e) {
      onUnreachable(peer, String.valueOf(e.getMessage()));
    }
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
      if (isOver()) {
        throw new IOException(
            "the overlay of epoch "
                + epoch
                + " cannot be connected: "
                + (failure == null ? "closed" : failure));
      }
    }
  }

  private synchronized boolean isDecided() {
    return awaited.isEmpty() || isOver();
  }

  private synchronized boolean isOver() {
    return failure != null || closed;
  }

  @Override
  public void announce(int rank, String reason) {
    // Before connect() either thread may survive; the second one finds the failure already known.
    execute(_ -> lost(rank, reason));
  }

  @Override
  public void dead(int rank) {
    execute(
        _ -> {
          if (learn(new Notice(rank, 0), NO_RANK) != null) {
            known(rank, "reported by the job");
          }
        });
  }

  @Override
  public void alive(int rank) {
    execute(
        links -> {
          if (isAwaited(rank) && connectsTo.contains(rank)) {
            link(rank); // the first attempt was not answered
          }
          links.watchAnew(rank);
          found(rank);
        });
  }

  /** Runs a task on the thread of each kind of links. */
  private void execute(Consumer<RingLinks> task) {
    offered.forEach(links -> links.execute(() -> task.accept(links)));
  }

  /** Whether a link that belongs to the start of the epoch is still being made. */
  final synchronized boolean isAwaited(int peer) {
    return awaited.contains(peer);
  }

  final void lost(int rank, String reason) {
    spread(new Notice(rank, 0), NO_RANK, reason);
  }

  /** Notes, sends on and reports a failure, unless it is already known. */
  private void spread(Notice notice, int from, String reason) {
    Collection<Integer> to = learn(notice, from);
    if (to == null) {
      return;
    }
    byte[] frame = frame(LogRing.forward(notice));
    for (RingLinks links : offered) {
      to.forEach(peer -> links.send(peer, frame));
    }
    listener.onFailure(notice.failed(), notice.hops(), reason);
    known(notice.failed(), reason);
  }

  private void known(int failed, String reason) {
    synchronized (this) {
      awaited.remove(failed);
      if (!continues) {
        failure = "rank " + failed + " has failed: " + reason;
      }
    }
    gate.open();
    learned(failed);
  }

  /** The notice to send to others. */
  final byte[] frame(Notice notice) {
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
      goodbyes().forEach(peer -> links.send(peer, new byte[] {GOODBYE}));
      links.close();
    }
  }

  /** The ranks that may have a link with this one. */
  Collection<Integer> goodbyes() {
    return neighbours;
  }

  final synchronized boolean isClosed() {
    return closed;
  }

  /** A rank is silent, and may live. */
  final void silent(int rank, String reason) {
    if (continues) {
      listener.onSilence(rank, reason);
    } else {
      lost(rank, reason);
    }
  }

  /** A silent rank is heard again. */
  final void heard(int rank) {
    listener.onHeard(rank);
  }

  // ---- events of the links

  @Override
  public void onOpen(int peer) {
    synchronized (this) {
      awaited.remove(peer);
    }
    gate.open();
  }

  @Override
  public boolean onFrame(int peer, ByteBuffer frame) {
    byte kind = frame.get();
    if (kind == GOODBYE) {
      left.add(peer);
      leaves(peer);
      return true;
    }
    if (kind != NOTICE) {
      return received(kind, peer, frame);
    }
    if (frame.remaining() != NOTICE_BYTES - 1 || frame.getInt() != epoch) {
      return false;
    }
    Notice notice = new Notice(frame.getInt(), frame.getInt());
    if (notice.failed() < 0 || notice.failed() >= config.size()) {
      return false;
    }
    spread(notice, peer, "notice of rank " + peer);
    return true;
  }

  @Override
  public void onClosed(int peer, String reason) {
    if (!left.contains(peer) && !isClosed()) {
      lost(peer, reason);
    }
  }

  @Override
  public void onUnreachable(int peer, String reason) {
    if (!left.contains(peer) && !isClosed()) {
      silent(peer, reason);
    }
  }

  @Override
  public boolean onSilent(int peer, String reason) {
    if (continues && !left.contains(peer) && !isClosed()) {
      silent(peer, reason);
    }
    return !continues;
  }

  @Override
  public void onHeard(int peer) {
    heard(peer);
  }

  @Override
  public void onBroken(String reason) {
    // Blaming unreachable neighbours could kill a healthy process.
    if (!isClosed()) {
      lost(config.rank(), reason);
    }
  }
}
