package org.fmi.logring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.fmi.net.Heartbeat;
import org.fmi.spi.RankConfig;
import org.fmi.verbs.Connection;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.fmi.verbs.VerbsProvider;
import org.jspecify.annotations.Nullable;

/**
 * Links over RDMA: one reliable connection with each neighbour, made by rdma_cm. The thread sleeps
 * until the device, the connection manager, the clock or another thread has something for it.
 *
 * <p>A link is over when the connection manager tells that the peer's process has ended, when work
 * completes with an error, or when the peer is silent: an empty frame is a heartbeat. Its
 * connection is kept, unused, until all ends, when the device has let go of every buffer.
 */
final class RdmaLinks implements RingLinks {
  static final String NAME = "rdma";

  /** Refusal: no such neighbour in this epoch, or it has a link already. */
  private static final int NOT_EXPECTED = 1;

  /** Refusal: this side's device did not make the connection; to be tried again. */
  private static final int AGAIN = 2;

  /** As long as the connection manager fails for reasons of its own. */
  private static final int MAX_ATTEMPTS = 4;

  private static final byte[] BEAT = {};

  /** At close: for what was sent to reach the peers' devices, and for the rest to fail. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RankConfig config;
  private final List<Integer> neighbours;
  private final Handler handler;
  private final Verbs verbs;
  private final LongSupplier clock;
  private final Greeting greeting;
  private final RdmaEndpoint endpoint;
  private final SecureRandom random = new SecureRandom();
  private final long timeoutNanos;

  /** For each neighbour a window of frames that arrive; then the same for those that go out. */
  private final MemorySegment memory;

  private final Arena arena = Arena.ofShared();
  private final int key;
  private final Sleeper sleeper;
  private final Thread thread;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  // Used on the thread.

  /** All there ever were; a send's id is the place of its link. */
  private final List<Link> all = new ArrayList<>();

  /** By rank: those that stand or are being made. */
  private final Map<Integer, Link> links = new HashMap<>();

  private final Map<Connection, Link> byConnection = new HashMap<>();
  private final Map<Integer, Link> byNumber = new HashMap<>();

  /** Neighbours whose link has stood: they get no other. */
  private final Set<Integer> met = new HashSet<>();

  private long nextBeat;
  private boolean closing;

  /**
   * @param neighbours whom to expect
   * @throws IOException if the device refuses; the message says what would help
   */
  RdmaLinks(RankConfig config, int epoch, Set<Integer> neighbours, Handler handler)
      throws IOException {
    this(
        config,
        epoch,
        neighbours,
        handler,
        VerbsProvider.chosen().open(InetAddress.getByName(config.host())),
        System::nanoTime);
  }

  RdmaLinks(
      RankConfig config,
      int epoch,
      Set<Integer> neighbours,
      Handler handler,
      Verbs verbs,
      LongSupplier clock)
      throws IOException {
    this.config = config;
    this.neighbours = List.copyOf(neighbours);
    this.handler = handler;
    this.greeting = new Greeting(config.secret(), config.jobId(), epoch);
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(config.heartbeatTimeoutMillis());
    this.verbs = verbs;
    this.clock = clock;
    try {
      int frames = Math.max(1, neighbours.size()) * Window.FRAMES;
      // Each buffer that was posted completes once, each frame sent too.
      verbs.open(new Verbs.Sizes(Window.FRAMES, 0, frames, 2 * frames, Window.FRAMES));
      memory = arena.allocate(2L * frames * MAX_FRAME, MAX_FRAME);
      key = verbs.register(memory).key();
      for (int buffer = 0; buffer < frames; buffer++) {
        post(buffer);
      }
      byte[] nonce = new byte[RdmaEndpoint.NONCE_BYTES];
      random.nextBytes(nonce);
      endpoint = new RdmaEndpoint(nonce, verbs.address());
      sleeper =
          new Sleeper(
              verbs.completionDescriptor(), verbs.eventDescriptor(), verbs.failureDescriptor());
    } catch (IOException e) {
      verbs.close();
      arena.close();
      throw e;
    }
    nextBeat = clock.getAsLong() + pause();
    thread = new Thread(this::run, "fmi-logring");
    thread.setDaemon(true);
    thread.start();
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
  public void connect(int peer, byte[] theirEndpoint) {
    RdmaEndpoint to = RdmaEndpoint.of(theirEndpoint);
    execute(() -> dial(peer, to, 1, 0));
  }

  @Override
  public void send(int peer, byte[] frame) {
    execute(
        () -> {
          Link link = links.get(peer);
          if (link != null && link.state == State.OPEN) {
            send(link, frame);
          }
        });
  }

  @Override
  public void execute(Runnable task) {
    if (Thread.currentThread().equals(thread)) {
      task.run();
    } else {
      tasks.add(task);
      sleeper.wakeup();
    }
  }

  @Override
  public void close() {
    execute(() -> closing = true);
    if (!Thread.currentThread().equals(thread)) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // it ends by itself
      }
    }
  }

  // ---- the thread

  private void run() {
    try {
      while (true) {
        take();
        beat();
        if (closing) {
          return;
        }
        sleeper.sleep(Math.max(0, nextBeat - clock.getAsLong()));
      }
    } catch (IOException e) {
      handler.onBroken(String.valueOf(e.getMessage()));
    } finally {
      end();
    }
  }

  /** Does what there is to do; what comes later ends a sleep. */
  private void take() throws IOException {
    verbs.takeNotifications();
    verbs.requestNotification();
    for (Runnable task; (task = tasks.poll()) != null; ) {
      task.run();
    }
    takeCompletions();
    for (Verbs.Event event; (event = verbs.nextEvent()) != null; ) {
      on(event);
    }
    broken();
  }

  /** Whether this rank's own device has failed since last asked, which is told. */
  private boolean broken() {
    String failure;
    try {
      failure = verbs.deviceFailure();
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage());
    }
    if (failure == null) {
      return false;
    }
    handler.onBroken(failure);
    // Those of a device that was removed are readable for ever.
    sleeper.watch(-1, -1, -1);
    return true;
  }

  /** Tells that a link is over, unless that is the doing of this rank's own device. */
  private void closed(int peer, String reason) {
    if (!broken()) {
      handler.onClosed(peer, reason);
    }
  }

  private long pause() {
    return timeoutNanos / 4;
  }

  private void beat() {
    long now = clock.getAsLong();
    if (now - nextBeat < 0) {
      return;
    }
    nextBeat = now + pause();
    for (Link link : List.copyOf(links.values())) {
      switch (link.state) {
        case OPEN -> beat(link, now);
        case DIALLING -> waited(link, now);
        case ACCEPTED, LOST -> {}
      }
    }
  }

  /** That the way to a neighbour is found late is not its fault. */
  private void waited(Link link, long now) {
    if (!link.connection.asked()) {
      return;
    }
    if (link.deadline == 0) {
      link.deadline = now + timeoutNanos == 0 ? 1 : now + timeoutNanos;
    } else if (now - link.deadline >= 0) {
      lose(link, "no answer within " + config.heartbeatTimeoutMillis() + " ms");
      return;
    }
    if (++link.beatsUnanswered > 1) {
      askAgain(link);
    }
  }

  private void beat(Link link, long now) {
    long silence = link.heartbeat.silence(now);
    if (silence > 0) {
      lose(link, "silent for " + TimeUnit.NANOSECONDS.toMillis(silence) + " ms");
    } else if (!link.wrote && link.window.hasRoomForBeat()) {
      send(link, BEAT);
    }
    link.wrote = false;
  }

  // ---- frames

  private long offset(int buffer) {
    return (long) buffer * MAX_FRAME;
  }

  /** Gives the device a buffer for what arrives. */
  private void post(int buffer) throws IOException {
    verbs.postReceive(~(long) buffer, memory.address() + offset(buffer), MAX_FRAME, key);
  }

  private void send(Link link, byte[] frame) {
    if (link.window.room() <= 0) {
      lose(link, "takes nothing any more");
      return;
    }
    int place = neighbours.indexOf(link.peer) * Window.FRAMES + link.window.send();
    long at = offset(neighbours.size() * Window.FRAMES + place);
    MemorySegment.copy(frame, 0, memory, JAVA_BYTE, at, frame.length);
    try {
      link.connection.send(
          link.number,
          memory.address() + at,
          frame.length,
          key,
          link.window.granted(),
          Connection.SIGNALLED);
      link.wrote = true;
    } catch (IOException e) {
      link.window.completed();
      lose(link, String.valueOf(e.getMessage()));
    }
  }

  private void takeCompletions() throws IOException {
    for (int n; (n = verbs.poll()) > 0; ) {
      for (int i = 0; i < n; i++) {
        long id = verbs.id(i);
        if (id < 0) {
          arrived(i, (int) ~id);
        } else {
          sent(i, all.get((int) id));
        }
      }
    }
  }

  private void sent(int i, Link link) {
    link.window.completed();
    if (!verbs.succeeded(i)) {
      lose(link, "not sent: " + verbs.failure(i));
    }
  }

  private void arrived(int i, int buffer) throws IOException {
    Link link = byNumber.get(verbs.connection(i));
    if (!verbs.succeeded(i)) {
      post(buffer);
      if (link != null) {
        lose(link, "not received: " + verbs.failure(i));
      }
      return;
    }
    byte[] frame = memory.asSlice(offset(buffer), verbs.bytes(i)).toArray(JAVA_BYTE);
    int grants = verbs.immediate(i);
    post(buffer);
    if (link == null || link.state == State.LOST) {
      return;
    }
    if (link.state == State.ACCEPTED) {
      opened(link); // its first frame was faster than the connection manager
    }
    link.heartbeat.heard(clock.getAsLong());
    link.window.arrived(grants);
    if (frame.length > 0 && !handler.onFrame(link.peer, ByteBuffer.wrap(frame))) {
      lose(link, "does not keep to the protocol");
    }
  }

  // ---- links

  private void dial(int peer, RdmaEndpoint to, int attempt, long deadline) {
    Greeting.Request request =
        new Greeting.Request(config.rank(), peer, Window.FRAMES, random.nextLong());
    try {
      Connection connection = verbs.dial(to.address(), greeting.request(request, to.nonce()));
      Link link = add(connection, request, peer, State.DIALLING);
      link.to = to;
      link.attempt = attempt;
      link.deadline = deadline;
    } catch (IOException e) {
      closed(peer, String.valueOf(e.getMessage()));
    }
  }

  private Link add(Connection connection, Greeting.Request request, int peer, State state) {
    Link link = new Link(all.size(), connection, request, peer, state);
    all.add(link);
    links.put(peer, link);
    byConnection.put(connection, link);
    return link;
  }

  private void on(Verbs.Event event) throws IOException {
    Connection connection = event.connection();
    if (event.kind() == Verbs.Event.Kind.REQUEST) {
      decide(connection, event.greeting());
      return;
    }
    Link link = byConnection.get(connection);
    if (link == null || link.state == State.LOST) {
      return;
    }
    switch (event.kind()) {
      case ESTABLISHED -> established(link, event.greeting());
      case REJECTED -> {
        int code = Greeting.refused(event.greeting());
        if (code == AGAIN) {
          failed(link, event.reason());
        } else {
          drop(link, event.reason() + (code == 0 ? "" : ", code " + code));
        }
      }
      case FAILED, DISCONNECTED -> {
        if (link.state == State.OPEN) {
          takeCompletions(); // a goodbye comes first
          lose(link, event.reason());
        } else {
          failed(link, event.reason());
        }
      }
      case UNRESOLVED -> failed(link, event.reason());
      case UNANSWERED -> {
        // One that this rank has accepted may still open; if it is open it is for the heartbeats.
        if (link.state == State.DIALLING) {
          failed(link, event.reason());
        }
      }
      case REFUSED_HERE -> {
        remove(link);
        handler.onBroken(event.reason());
      }
      case REQUEST -> {}
    }
  }

  /** Somebody dials this rank. */
  private void decide(Connection connection, byte[] words) throws IOException {
    Greeting.Request request = greeting.request(words, endpoint.nonce());
    if (request == null) {
      refuse(connection, new byte[0]);
      return;
    }
    int from = request.from();
    Link mine = links.get(from);
    if (closing
        || request.to() != config.rank()
        || !neighbours.contains(from)
        || met.contains(from)
        || (mine != null && mine.state != State.ACCEPTED)) {
      refuse(connection, Greeting.refusal(NOT_EXPECTED));
      return;
    }
    if (mine != null) {
      drop(mine, "given up by the peer");
    }
    Link link = add(connection, request, from, State.ACCEPTED);
    if (connection.accept(greeting.answer(request, Window.FRAMES, endpoint.nonce()))) {
      byNumber.put(connection.number(), link);
    } else {
      // It dials again. If it has not given up it is to do so now.
      connection.reject(Greeting.refusal(AGAIN));
      drop(link, "given up by the peer");
    }
  }

  private static void refuse(Connection connection, byte[] words) {
    connection.reject(words);
    connection.close();
  }

  private void established(Link link, byte[] words) {
    if (link.state == State.DIALLING) {
      RdmaEndpoint to = link.to;
      if (to == null || greeting.answered(words, link.request, to.nonce()) != Window.FRAMES) {
        drop(link, "whoever answered does not know the job's secret");
        return;
      }
      byNumber.put(link.connection.number(), link);
    }
    opened(link);
  }

  private void opened(Link link) {
    if (link.state != State.OPEN) {
      link.state = State.OPEN;
      link.heartbeat = new Heartbeat(timeoutNanos, clock.getAsLong());
      met.add(link.peer);
      handler.onOpen(link.peer);
    }
  }

  /** An attempt has failed, for reasons of the connection manager. */
  private void failed(Link link, String reason) {
    RdmaEndpoint to = link.to;
    if (to != null
        && link.attempt < MAX_ATTEMPTS
        && (link.deadline == 0 || clock.getAsLong() - link.deadline < 0)) {
      remove(link);
      dial(link.peer, to, link.attempt + 1, link.deadline);
    } else {
      drop(link, reason);
    }
  }

  /**
   * The connection manager repeats a request that was lost on its way, but on InfiniBand only after
   * longer than a neighbour has to answer. Should the answer be on its way by now, the neighbour
   * takes the later request instead.
   */
  private void askAgain(Link link) {
    RdmaEndpoint to = link.to;
    if (to != null) {
      remove(link);
      dial(link.peer, to, link.attempt, link.deadline);
    }
  }

  /** Ends an attempt: no frame has gone over it. */
  private void drop(Link link, String reason) {
    boolean dialled = link.state == State.DIALLING;
    remove(link);
    if (dialled) {
      closed(link.peer, reason);
    }
  }

  private void remove(Link link) {
    link.state = State.LOST;
    links.remove(link.peer, link);
    byConnection.remove(link.connection);
    byNumber.remove(link.connection.number(), link);
    link.connection.close();
  }

  /** A link is over. */
  private void lose(Link link, String reason) {
    switch (link.state) {
      case OPEN -> {
        link.state = State.LOST;
        links.remove(link.peer, link);
        link.connection.disconnect();
        closed(link.peer, reason);
      }
      case DIALLING, ACCEPTED -> drop(link, reason);
      case LOST -> {}
    }
  }

  // ---- the end

  private void end() {
    try {
      closing = true;
      try {
        drain(link -> link.state == State.OPEN);
        for (Link link : byConnection.values()) {
          link.connection.disconnect();
        }
        drain(link -> true);
      } finally {
        verbs.close();
        arena.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("rdma: cannot close the log-ring's links", e);
    } finally {
      sleeper.close();
    }
  }

  /** Waits until these have no work outstanding, so that the device has let go of its buffers. */
  private void drain(Predicate<Link> which) throws IOException {
    // Heartbeats to the daemon wait for it too.
    long deadline = System.nanoTime() + Math.min(DRAIN_NANOS, timeoutNanos / 4);
    while (true) {
      take();
      long rest = deadline - System.nanoTime();
      if (rest <= 0
          || byConnection.values().stream()
              .noneMatch(link -> which.test(link) && link.window.outstanding() > 0)) {
        return;
      }
      sleeper.sleep(rest);
    }
  }

  private enum State {
    /** This rank has dialled. */
    DIALLING,
    /** The neighbour has dialled and was answered. */
    ACCEPTED,
    /** Frames may go. */
    OPEN,
    /** Over. */
    LOST
  }

  /** The connection with one neighbour, or an attempt to make one. */
  private final class Link {
    final int number;
    final Connection connection;
    final Greeting.Request request;
    final int peer;
    final Window window = new Window();
    State state;
    Heartbeat heartbeat = new Heartbeat(timeoutNanos, clock.getAsLong());

    /** Something was sent since the last beat. */
    boolean wrote;

    // Of one that this rank dials.
    @Nullable RdmaEndpoint to;
    int attempt;

    /** When it must have answered; 0 while it was not asked. */
    long deadline;

    /** Beats since it has asked, without an answer. */
    int beatsUnanswered;

    Link(
        int number, Connection connection, Greeting.Request request, int peer, State initialState) {
      this.number = number;
      this.connection = connection;
      this.request = request;
      this.peer = peer;
      this.state = initialState;
    }
  }
}
