package org.fmi.transport.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RankConfig;
import org.fmi.spi.RemoteMemory;
import org.fmi.spi.Transport;
import org.fmi.verbs.Connection;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames over RDMA: one reliable connection for each pair of ranks, made on first use.
 *
 * <p><b>Who connects.</b> Either side may dial, and both may at once. Then the connection that the
 * lower rank dialled stays: the lower one refuses ({@link #CROSSED}), the higher one accepts and
 * drops its own. The refused one waits for the other's request; should that not come, it dials
 * again, and hears if the peer has gone.
 *
 * <p><b>Loss.</b> The connection manager tells when a peer's process has ended; work that completes
 * with an error tells when the peer is silent; the device tells when its port goes down. That a
 * request is not answered tells nothing: the peer may be computing. Nor does it that there is no
 * way to it yet. Should it be dead, the log-ring knows. A failed connection is never used again.
 * Its buffers, and the program's memory that it reads into, are held until the transport closes.
 */
final class RdmaTransport implements Transport {
  static final String NAME = "rdma";
  static final int MAX_PAYLOAD = 16 << 10;

  /** Of long messages so much is read at once, if the device can. */
  private static final int PIECE_BYTES = 1 << 20;

  /** Refusal: both dial, and the other's connection is the one that stays. */
  static final int CROSSED = 1;

  /** Refusal: there is a connection of this pair already. */
  static final int DUPLICATE = 2;

  /** Refusal: this side's device did not make the connection; to be tried again. */
  static final int AGAIN = 3;

  /** Work a connection may have outstanding, where the device's completion queue can hold it. */
  static final int DEPTH = 64;

  private static final int LEAST_DEPTH = 16;

  /** A header and 144 bytes. */
  private static final int INLINE_BYTES = FrameLayout.HEADER_BYTES + 144;

  private static final int MAX_ATTEMPTS = 4;
  private static final long REDIAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** To look for connection events is a system call: once in so many polls. */
  private static final int POLLS_A_LOOK = 64;

  /** The same while connections are being made. */
  private static final int POLLS_A_LOOK_DIALLING = 4;

  /** Batches of completions that one poll takes at most. */
  private static final int MAX_BATCHES = 4;

  /** At close, for what was sent to reach the peers' devices. */
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** At close, for outstanding work to fail. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RankConfig config;
  private final Verbs verbs;
  private final Greeting greeting;
  private final RdmaEndpoint endpoint;
  private final SecureRandom random = new SecureRandom();
  private final Arena arena = Arena.ofShared();

  /** Where small frames are put together. */
  private final MemorySegment scratch;

  private final SendPool sends;
  private final ReceivePool receives;
  private final RegistrationCache cache;
  private final Reads reads;
  private final int depth;
  private final int inline;
  private final Sleeper sleeper;
  private @Nullable Ringer ringer;

  /** By rank: where it listens; null if it does not, or for this rank itself. */
  private final @Nullable RdmaEndpoint[] endpoints;

  /** By rank: its connection, or the attempt to make one. */
  private final @Nullable Link[] links;

  private final Map<Connection, Link> byConnection = new HashMap<>();
  private final LinkTable byNumber = new LinkTable();

  /** Right requests; one that comes again is somebody's copy. */
  private final Set<Greeting.Request> requests = new HashSet<>();

  /** By rank: attempts to dial it. */
  private final int[] attempts;

  /**
   * By rank: when to dial again one that is to dial this rank, or to which no way was found; 0 if
   * it is neither.
   */
  private final long[] redialAt;

  private LongSupplier clock = System::nanoTime;

  /** How many are to be dialled again. */
  private int redials;

  private int underWay;
  private final boolean[] lost;

  /** By rank: whether the user was told that it does not answer. */
  private final boolean[] silent;

  private final ArrayDeque<Loss> losses = new ArrayDeque<>();
  private final ArrayList<Link> untold = new ArrayList<>();

  /** Completions fetched, and how many of them were taken. */
  private int fetched;

  private int taken;
  private int work;
  private int pollsSinceLook;

  /** A notification was asked for and has not come. */
  private boolean notifying;

  private volatile boolean woken;

  /** Why nothing can be sent or received any more. */
  private @Nullable FmiException broken;

  private boolean stopped;
  private boolean closed;

  private record Loss(int peer, String reason) {}

  @SuppressWarnings("restricted") // only such a segment costs no check of its scope
  RdmaTransport(
      RankConfig config,
      int epoch,
      Verbs verbs,
      RegistrationCache.Room room,
      Consumer<String> warning)
      throws IOException {
    this.config = config;
    this.verbs = verbs;
    this.greeting = new Greeting(config.secret(), config.jobId(), epoch);
    this.endpoints = new RdmaEndpoint[config.size()];
    this.links = new Link[config.size()];
    this.attempts = new int[config.size()];
    this.redialAt = new long[config.size()];
    this.lost = new boolean[config.size()];
    this.silent = new boolean[config.size()];
    this.cache = new RegistrationCache(verbs::register, room, warning);
    this.reads = new Reads(this, cache);
    try {
      int peers = Math.max(1, config.size() - 1);
      int buffers = ReceivePool.most(peers);
      depth = depth(verbs.limits(), peers, buffers);
      verbs.open(
          new Verbs.Sizes(
              depth, INLINE_BYTES, buffers, buffers + peers * depth, ReceivePool.UNDER_WAY));
      inline = verbs.inline();
      scratch =
          MemorySegment.ofAddress(arena.allocate(INLINE_BYTES, Long.BYTES).address())
              .reinterpret(INLINE_BYTES);
      sends = new SendPool(verbs, arena);
      receives = new ReceivePool(verbs, arena);
      receives.prepare();
      byte[] nonce = new byte[RdmaEndpoint.NONCE_BYTES];
      random.nextBytes(nonce);
      endpoint = new RdmaEndpoint(nonce, verbs.address());
      sleeper =
          new Sleeper(
              verbs.completionDescriptor(), verbs.eventDescriptor(), verbs.failureDescriptor());
    } catch (IOException | RuntimeException | Error e) {
      try {
        free();
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /** Ends what is left at the device; then nobody needs the buffers any more. */
  private void free() throws IOException {
    verbs.close();
    arena.close();
  }

  /**
   * Work a connection may have outstanding, so that completions never overrun their queue: each
   * buffer that was posted completes once, each piece of work too.
   */
  private static int depth(Verbs.Limits limits, int peers, int buffers) throws IOException {
    int depth = DEPTH;
    while (depth > LEAST_DEPTH
        && (depth > limits.sends() || (long) peers * depth + buffers > limits.completions())) {
      depth /= 2;
    }
    if (limits.receives() == 0) {
      throw new IOException(
          "rdma: the device has no shared receive queues; --verbs disni does without, --transport"
              + " tcp too");
    }
    if (buffers > limits.receives()
        || depth > limits.sends()
        || (long) peers * depth + buffers > limits.completions()) {
      throw new IOException(
          "rdma: the device is too small for "
              + peers
              + " peers: "
              + limits
              + "; --transport tcp would help");
    }
    return depth;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte[] endpoint() {
    return endpoint.bytes();
  }

  @Override
  public void start(byte[][] addresses) {
    for (int rank = 0; rank < addresses.length; rank++) {
      if (rank != config.rank() && addresses[rank].length > 0) {
        endpoints[rank] = RdmaEndpoint.of(addresses[rank]);
      }
    }
  }

  @Override
  public boolean reaches(int peer) {
    return endpoints[peer] != null;
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
    if (broken != null) {
      throw broken;
    }
    Link link = links[peer];
    if (link == null || link.state != Link.State.OPEN) {
      if (link == null && redialAt[peer] == 0 && !lost[peer]) {
        dial(peer);
      }
      return false;
    }
    if (!link.ready()) {
      return false;
    }
    try {
      if (frame.bytes() <= inline) {
        link.sendInline(frame, scratch);
        return true;
      }
      int buffer = sends.take();
      if (buffer == SendPool.NONE) {
        return false;
      }
      link.send(frame, buffer);
      return true;
    } catch (IOException e) {
      lose(link, String.valueOf(e.getMessage()));
      return false;
    }
  }

  // ---- receiving

  @Override
  public int poll(FrameHandler handler) {
    if (broken != null) {
      throw broken;
    }
    work = 0;
    try {
      takeAll(handler, MAX_BATCHES);
      if (!untold.isEmpty()) {
        tellUntold();
      }
      int every = underWay > 0 ? POLLS_A_LOOK_DIALLING : POLLS_A_LOOK;
      if (++pollsSinceLook >= every) {
        look();
      }
      if (!losses.isEmpty()) {
        report(handler);
      }
    } catch (IOException e) {
      refused(e);
    }
    return work;
  }

  /**
   * What a device refuses after it has failed loses the peers; all else ends this rank.
   *
   * @return how the device has failed
   */
  private String refused(IOException e) {
    try {
      String failure = loseAll();
      if (failure != null) {
        return failure;
      }
    } catch (IOException again) {
      e.addSuppressed(again);
    }
    throw failed(e);
  }

  /** With a device that has failed all connections are lost. Returns how it has, null if not. */
  private @Nullable String loseAll() throws IOException {
    String failure = verbs.deviceFailure();
    if (failure != null) {
      for (Link link : links) {
        if (link != null) {
          lose(link, failure);
        }
      }
    }
    return failure;
  }

  /**
   * This rank cannot go on here. The program hears of it, and may free its memory: from now on the
   * device leaves that alone.
   */
  private FmiException failed(IOException e) {
    FmiException failure = new FmiException(ErrorClass.OTHER, String.valueOf(e.getMessage()));
    broken = failure;
    try {
      stop();
    } catch (UncheckedIOException again) {
      failure.addSuppressed(again);
    }
    return failure;
  }

  /** Takes completions, until there are none or so many batches were fetched. */
  private void takeAll(FrameHandler handler, int batches) throws IOException {
    for (int i = 0; ; i++) {
      while (taken < fetched) {
        // Counted before: a handler that throws does not get it again.
        take(taken++, handler);
      }
      if (i == batches) {
        return;
      }
      fetch();
      if (fetched == 0) {
        return;
      }
    }
  }

  private void fetch() throws IOException {
    taken = 0;
    fetched = 0;
    fetched = verbs.poll();
  }

  private void take(int i, @Nullable FrameHandler handler) throws IOException {
    work++;
    long id = verbs.id(i);
    if (id < 0) {
      arrived(i, ReceivePool.buffer(id), handler);
      return;
    }
    Link link = links[Link.peer(id)];
    if (link == null) {
      return;
    }
    boolean succeeded = verbs.succeeded(i);
    Read read = link.completed(id, succeeded);
    if (!succeeded) {
      lose(link, "not sent: " + verbs.failure(i));
    } else if (link.state == Link.State.OPEN && handler != null) {
      ask(link);
      if (read != null) {
        reads.finish(read);
        handler.onRead(link.peer, read.id);
      }
    }
  }

  // ---- messages read out of peers' memory

  @Override
  public RemoteMemory remoteMemory() {
    return reads;
  }

  /** Begins to read a message. Nothing comes of it if the peer is lost. */
  void read(int peer, Read message) {
    Link link = links[peer];
    if (link == null || link.state != Link.State.OPEN) {
      return;
    }
    try {
      link.read(message);
    } catch (IOException e) {
      lose(link, String.valueOf(e.getMessage()));
    }
  }

  private void ask(Link link) {
    try {
      link.ask();
    } catch (IOException e) {
      lose(link, String.valueOf(e.getMessage()));
    }
  }

  /** See {@link RemoteMemory#stop}. */
  void stop() {
    if (stopped || closed) {
      return;
    }
    stopped = true;
    try {
      for (Link link : byConnection.values()) {
        link.connection.halt();
      }
      try {
        drain();
      } finally {
        for (Link link : byConnection.values()) {
          if (link.busy()) {
            // Heard by the peer; but the device must let go of the program's memory.
            link.connection.close();
          }
        }
        cache.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot stop", e);
    }
  }

  private void arrived(int i, int buffer, @Nullable FrameHandler handler) throws IOException {
    Link link = byNumber.get(verbs.connection(i));
    if (!verbs.succeeded(i)) {
      receives.post(buffer);
      if (link != null) {
        lose(link, "not received: " + verbs.failure(i));
      }
      return;
    }
    if (link == null || link.mute || handler == null) {
      receives.post(buffer);
      return;
    }
    if (link.state == Link.State.ACCEPTED) {
      // Its first frame was faster than the connection manager.
      opened(link);
    }
    link.allow(verbs.immediate(i));
    int bytes = verbs.bytes(i);
    if (bytes == 0) {
      receives.post(buffer);
      return;
    }
    deliver(link, buffer, bytes, handler);
    tell(link);
  }

  private void deliver(Link link, int buffer, int bytes, FrameHandler handler) throws IOException {
    MemorySegment memory = receives.memory(buffer);
    long at = receives.offset(buffer);
    try {
      if (bytes < FrameLayout.HEADER_BYTES
          || memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD)
              != bytes - FrameLayout.HEADER_BYTES) {
        link.mute = true;
        lose(link, "a frame of " + bytes + " bytes does not fit its header");
      } else {
        handler.onFrame(link.peer, memory, at);
      }
    } finally {
      receives.post(buffer);
      link.arrived();
    }
  }

  private void tell(Link link) {
    try {
      if (link.state == Link.State.OPEN && !link.tell() && !link.untold) {
        link.untold = true;
        untold.add(link);
      }
    } catch (IOException e) {
      lose(link, String.valueOf(e.getMessage()));
    }
  }

  private void tellUntold() {
    Link[] all = untold.toArray(Link[]::new);
    untold.clear();
    for (Link link : all) {
      link.untold = false;
      tell(link);
    }
  }

  private void report(FrameHandler handler) throws IOException {
    // What they sent before comes first.
    takeAll(handler, Integer.MAX_VALUE);
    for (Loss loss; (loss = losses.poll()) != null; ) {
      work++;
      handler.onPeerLost(loss.peer, loss.reason);
    }
  }

  // ---- making and ending connections

  private void dial(int peer) {
    RdmaEndpoint to = endpoints[peer];
    if (to == null) {
      throw new IllegalArgumentException("rank " + peer + " is not reached by rdma");
    }
    if (!lock(peer, this::join)) {
      return;
    }
    attempts[peer]++;
    Greeting.Request request =
        new Greeting.Request(config.rank(), peer, ReceivePool.BASE, random.nextLong());
    try {
      Connection connection = verbs.dial(to.address(), greeting.request(request, to.nonce()));
      add(connection, peer, request, Link.State.DIALLING);
    } catch (IOException e) {
      receives.leave();
      lose(peer, String.valueOf(e.getMessage()));
    }
  }

  /** What needs locked memory of this process. */
  private interface Locking {
    boolean run() throws IOException;
  }

  /**
   * Does it, if need be once more without what the cache does not use. That it is refused then is
   * no peer's fault: it ends this rank, with the reason. Only a device that has failed loses the
   * peer.
   */
  private boolean lock(int peer, Locking locking) {
    try {
      try {
        return locking.run();
      } catch (IOException e) {
        if (!cache.releaseUnused()) {
          throw e;
        }
        return locking.run();
      }
    } catch (IOException e) {
      lose(peer, refused(e));
      return false;
    }
  }

  /** Buffers for one peer more. */
  private boolean join() throws IOException {
    receives.join();
    return true;
  }

  private Link add(Connection connection, int peer, Greeting.Request request, Link.State state) {
    Link link =
        new Link(
            connection,
            peer,
            request,
            state,
            receives,
            sends,
            depth,
            Math.min(PIECE_BYTES, verbs.longestMessage()));
    links[peer] = link;
    byConnection.put(connection, link);
    underWay++;
    return link;
  }

  /** Looks for what happened with connections and the device. */
  private void look() throws IOException {
    pollsSinceLook = 0;
    for (Verbs.Event event; (event = verbs.nextEvent()) != null; ) {
      work++;
      on(event);
    }
    loseAll();
    if (redials > 0) {
      redial();
    }
  }

  private void on(Verbs.Event event) throws IOException {
    Connection connection = event.connection();
    if (event.kind() == Verbs.Event.Kind.REQUEST) {
      decide(connection, event.greeting());
      return;
    }
    Link link = byConnection.get(connection);
    if (link == null || link.state == Link.State.LOST) {
      return;
    }
    switch (event.kind()) {
      case ESTABLISHED -> established(link, event.greeting());
      case REJECTED -> rejected(link, event);
      case FAILED -> attemptFailed(link, event.reason());
      case UNRESOLVED -> unresolved(link, event.reason());
      case UNANSWERED -> unanswered(link);
      case REFUSED_HERE -> refusedHere(link, event.reason());
      case DISCONNECTED -> {
        if (link.state == Link.State.DIALLING) {
          attemptFailed(link, event.reason());
        } else {
          lose(link, event.reason());
        }
      }
      case REQUEST -> {}
    }
  }

  /** Somebody dials this rank. */
  private void decide(Connection connection, byte[] words) {
    Greeting.Request request = greeting.request(words, endpoint.nonce());
    if (request == null
        || request.to() != config.rank()
        || request.from() < 0
        || request.from() >= config.size()
        || request.from() == config.rank()
        || !requests.add(request)) {
      refuse(connection, new byte[0]);
      return;
    }
    int from = request.from();
    Link mine = links[from];
    if (lost[from] || (mine != null && mine.state == Link.State.OPEN)) {
      refuse(connection, Greeting.refusal(DUPLICATE));
    } else if (mine != null && mine.state == Link.State.DIALLING && config.rank() < from) {
      refuse(connection, Greeting.refusal(CROSSED));
    } else {
      if (mine != null) {
        drop(mine); // the higher rank's own attempt, or one that the peer has given up
      }
      accept(connection, request);
    }
  }

  private static void refuse(Connection connection, byte[] words) {
    connection.reject(words);
    connection.close();
  }

  private void accept(Connection connection, Greeting.Request request) {
    int from = request.from();
    forgetRedial(from);
    if (!lock(from, this::join)) {
      refuse(connection, new byte[0]);
      return;
    }
    Link link = add(connection, from, request, Link.State.ACCEPTED);
    link.open(request.credits());
    byte[] answer = greeting.answer(request, ReceivePool.BASE, endpoint.nonce());
    if (lock(from, () -> connection.accept(answer))) {
      byNumber.put(link);
    } else {
      // The peer has given up meanwhile, and dials again. If not it is to do so now.
      connection.reject(Greeting.refusal(AGAIN));
      drop(link);
    }
  }

  private void established(Link link, byte[] words) {
    if (link.state == Link.State.DIALLING) {
      RdmaEndpoint to = endpoints[link.peer];
      int credits = to == null ? -1 : greeting.answered(words, link.request, to.nonce());
      if (credits < 0) {
        drop(link);
        lose(link.peer, "whoever answered does not know the job's secret");
        return;
      }
      link.open(credits);
      byNumber.put(link);
    }
    opened(link);
  }

  private void opened(Link link) {
    if (link.state != Link.State.OPEN) {
      link.state = Link.State.OPEN;
      underWay--;
      work++;
    }
  }

  private void rejected(Link link, Verbs.Event event) {
    if (link.state == Link.State.OPEN) {
      // Its first frame was here before the refusal.
      lose(link, event.reason());
      return;
    }
    int code = Greeting.refused(event.greeting());
    if (code == AGAIN) {
      attemptFailed(link, event.reason());
      return;
    }
    boolean dialled = link.state == Link.State.DIALLING;
    drop(link);
    if (!dialled) {
      return;
    }
    if (code == CROSSED) {
      redialLater(link.peer);
    } else {
      lose(link.peer, event.reason() + (code == 0 ? "" : ", code " + code));
    }
  }

  /**
   * The way to a peer was not found, for which nobody is lost: with many ranks that ask at a time
   * the network's manager may take longer to answer than they wait.
   */
  private void unresolved(Link link, String reason) {
    drop(link);
    if (!silent[link.peer]) {
      silent[link.peer] = true;
      System.err.printf(
          "fmi: no way to rank %d over rdma: %s. It is looked for again (as seen by rank %d)%n",
          link.peer, reason, config.rank());
    }
    redialLater(link.peer);
  }

  private void redialLater(int peer) {
    redials++;
    redialAt[peer] = later(REDIAL_NANOS);
  }

  private long later(long nanos) {
    long at = clock.getAsLong() + nanos;
    return at == 0 ? 1 : at;
  }

  private void forgetRedial(int peer) {
    if (redialAt[peer] != 0) {
      redialAt[peer] = 0;
      redials--;
    }
  }

  private void redial() {
    long now = clock.getAsLong();
    for (int peer = 0; peer < redialAt.length; peer++) {
      if (redialAt[peer] != 0 && now - redialAt[peer] >= 0) {
        forgetRedial(peer);
        attempts[peer] = 0;
        dial(peer);
      }
    }
  }

  private void attemptFailed(Link link, String reason) {
    boolean dialled = link.state == Link.State.DIALLING;
    if (link.state == Link.State.OPEN) {
      lose(link, reason);
      return;
    }
    drop(link);
    if (dialled && attempts[link.peer] < MAX_ATTEMPTS) {
      dial(link.peer);
    } else if (dialled) {
      lose(link.peer, reason);
    }
  }

  /**
   * A peer that computes does not look for what it is asked, or answered: nobody is lost for that.
   * This rank's request is made anew. One that it has accepted stays: the peer may find the answer
   * at any time, and sends then.
   */
  private void unanswered(Link link) {
    if (link.state == Link.State.DIALLING) {
      drop(link);
      if (!silent[link.peer]) {
        silent[link.peer] = true;
        System.err.printf(
            "fmi: no answer from rank %d over rdma: it computes, or is a filter in between? It is"
                + " tried again (as seen by rank %d)%n",
            link.peer, config.rank());
      }
      attempts[link.peer]--;
      dial(link.peer);
    }
  }

  /** No queue pair for an attempt of this rank's: as {@link #lock}, but it dials anew. */
  private void refusedHere(Link link, String reason) throws IOException {
    drop(link);
    String failure = loseAll();
    if (failure != null) {
      lose(link.peer, failure);
      return;
    }
    if (attempts[link.peer] >= MAX_ATTEMPTS || !cache.releaseUnused()) {
      throw new IOException(reason);
    }
    dial(link.peer);
  }

  /** Ends an attempt: no frame has gone over it. */
  private void drop(Link link) {
    if (links[link.peer] == link) {
      links[link.peer] = null;
    }
    byConnection.remove(link.connection);
    if (link.state == Link.State.DIALLING || link.state == Link.State.ACCEPTED) {
      underWay--;
      receives.leave();
    }
    link.state = Link.State.LOST;
    link.mute = true;
    link.connection.close();
  }

  private void lose(Link link, String reason) {
    if (link.state == Link.State.LOST) {
      return;
    }
    if (link.state != Link.State.OPEN) {
      underWay--;
    }
    link.state = Link.State.LOST;
    if (!stopped) {
      link.connection.disconnect();
    }
    lose(link.peer, reason);
  }

  private void lose(int peer, String reason) {
    if (!lost[peer] && !closed) {
      lost[peer] = true;
      losses.add(new Loss(peer, reason));
    }
  }

  // ---- waiting

  @Override
  public void await(long maxNanos) {
    try {
      if (maxNanos > 0 && !woken && !somethingCame()) {
        long nanos = redials > 0 ? Math.min(maxNanos, REDIAL_NANOS) : maxNanos;
        sleeper.sleep(nanos);
        lookNext();
      }
    } catch (IOException e) {
      refused(e);
    }
    woken = false;
  }

  /** Asks for a notification, and looks whether it is too late for one. */
  private boolean somethingCame() throws IOException {
    if (taken < fetched || !losses.isEmpty()) {
      return true;
    }
    if (!notifying) {
      notifying = true;
      verbs.requestNotification();
    }
    fetch();
    return fetched > 0;
  }

  /** After a sleep: the next poll looks at everything. */
  private void lookNext() throws IOException {
    verbs.takeNotifications();
    notifying = false;
    pollsSinceLook = POLLS_A_LOOK;
  }

  @Override
  public boolean needsYields() {
    return true;
  }

  @Override
  public int bell() {
    try {
      return sleeper.bell();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean arm(int bell) {
    try {
      Ringer r = ringer;
      if (r == null) {
        r =
            new Ringer(
                "fmi-rdma-ringer-" + config.rank(),
                verbs.completionDescriptor(),
                verbs.eventDescriptor(),
                verbs.failureDescriptor());
        ringer = r;
      }
      if (r.armed(bell)) {
        return true;
      }
      lookNext();
      notifying = true;
      verbs.requestNotification();
      r.arm(bell);
    } catch (IOException e) {
      refused(e);
    }
    return false;
  }

  @Override
  public void wakeup() {
    woken = true;
    sleeper.wakeup();
  }

  // ---- the end

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (ringer != null) {
        ringer.close();
      }
      if (!stopped) {
        flush();
      }
      for (Link link : byConnection.values()) {
        link.connection.disconnect();
      }
      drain();
      for (Link link : byConnection.values()) {
        link.connection.close();
      }
      cache.close();
      free();
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot close", e);
    } finally {
      sleeper.close();
      Arrays.fill(links, null);
    }
  }

  /** Gives what was accepted a short time to reach the peers' devices. */
  private void flush() throws IOException {
    long begin = System.nanoTime();
    boolean more = true;
    while (more && System.nanoTime() - begin < FLUSH_NANOS) {
      more = false;
      for (Link link : byConnection.values()) {
        if (link.state == Link.State.OPEN) {
          more |= awaitsCompletion(link);
        }
      }
      takeRest();
    }
  }

  /**
   * Waits until no work is outstanding: the device has let go of its buffers. A marker tells that
   * for what was not signalled, by failing.
   */
  private void drain() throws IOException {
    long begin = System.nanoTime();
    boolean more = true;
    while (more && System.nanoTime() - begin < DRAIN_NANOS) {
      more = false;
      for (Link link : byConnection.values()) {
        more |= awaitsCompletion(link);
      }
      takeRest();
    }
  }

  private static boolean awaitsCompletion(Link link) {
    try {
      return link.flush();
    } catch (IOException e) {
      // The device takes no more work for it: what is outstanding ends with the queue pair.
      return false;
    }
  }

  /** Takes completions; what arrives is dropped. */
  private void takeRest() throws IOException {
    do {
      while (taken < fetched) {
        take(taken++, null);
      }
      fetch();
    } while (fetched > 0);
  }

  // For tests.

  void useClock(LongSupplier nanos) {
    clock = nanos;
  }

  boolean isConnected(int peer) {
    Link link = links[peer];
    return link != null && link.state == Link.State.OPEN;
  }

  /** Whether it has dialled, or answered, and does not know yet whether the connection stands. */
  boolean isConnecting(int peer) {
    Link link = links[peer];
    return link != null && (link.state == Link.State.DIALLING || link.state == Link.State.ACCEPTED);
  }

  /** Connections that stand, are being made, or were lost. */
  int connections() {
    return byConnection.size();
  }
}
