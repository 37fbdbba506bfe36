package org.fmi.transport.rdma;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.RankConfig;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * Makes a transport's connections: dials, accepts, and decides by the connection manager's events
 * which attempts continue.
 *
 * <p><b>Simultaneous dials.</b> Either side may dial, and both may at once. Then the connection
 * dialled by the lower rank survives: the lower rank refuses the other one ({@link #CROSSED}), even
 * while it waits to dial again, and the higher rank accepts and drops its own. A refused rank waits
 * for the other's request; if none arrives, it dials again, and thus learns whether the peer has
 * gone.
 *
 * <p>An unanswered request is no evidence of a failure, as the peer may be computing; neither is a
 * missing route, for a while. But a peer is lost if its machine does not answer either ({@link
 * Knocks}).
 */
final class LinkSetup {
  /** Refusal: both dial, and the other side's connection survives. */
  static final int CROSSED = 1;

  /** Refusal: this pair already has a connection. */
  static final int DUPLICATE = 2;

  /** Refusal: this side's device did not make the connection; try again. */
  static final int AGAIN = 3;

  private static final int MAX_ATTEMPTS = 4;
  private static final long REDIAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The most events handled at a time: any process can send requests, and frames wait. */
  static final int MOST_EVENTS = 256;

  private final RdmaTransport transport;
  private final RankConfig config;
  private final Verbs verbs;
  private final Greeting greeting;
  private final RdmaEndpoint endpoint;
  private final int connections;
  private final SecureRandom random = new SecureRandom();
  private final ReceivePool receives;
  private final RegistrationCache cache;
  private final Links links;

  /** The addresses of the peers. */
  private Endpoints endpoints = Endpoints.of();

  /** Whether it knows them; peers may know this rank earlier. */
  private boolean started;

  /** Valid requests seen; a repeated one is a copy. */
  private final Set<Greeting.Request> requests = new HashSet<>();

  /** By rank: the number of attempts to dial it. */
  private final Diagnostics diagnostics;

  private final int[] attempts;

  /**
   * By rank: the time to dial again, for a peer that is expected to dial this rank, or without a
   * route; else 0.
   */
  private final long[] redialAt;

  private final Knocks knocks;

  /** The time between looks at peers that are waited for. */
  private final long lookNanos;

  private long lookAt;
  private LongSupplier clock = System::nanoTime;

  /** The number of peers to dial again. */
  private int redials;

  /** By rank: whether the user knows that it does not answer. */
  private final boolean[] silent;

  /**
   * @param endpoint the address of this rank
   * @param connections the most connections of this rank
   */
  LinkSetup(
      RdmaTransport transport,
      RankConfig config,
      Verbs verbs,
      Greeting greeting,
      RdmaEndpoint endpoint,
      int connections,
      ReceivePool receives,
      RegistrationCache cache,
      Links links,
      Diagnostics diagnostics) {
    this.transport = transport;
    this.config = config;
    this.verbs = verbs;
    this.greeting = greeting;
    this.endpoint = endpoint;
    this.connections = connections;
    this.receives = receives;
    this.cache = cache;
    this.links = links;
    this.diagnostics = diagnostics;
    this.attempts = new int[config.size()];
    this.redialAt = new long[config.size()];
    this.silent = new boolean[config.size()];
    this.knocks = new Knocks(config.size(), verbs);
    this.lookNanos = TimeUnit.MILLISECONDS.toNanos(config.job().heartbeatMillis()) / 4;
    this.lookAt = clock.getAsLong();
  }

  /** See {@link org.fmi.spi.Transport#start}. */
  void start(Endpoints addresses) {
    endpoints = addresses;
    started = true;
  }

  boolean reaches(int peer) {
    int rank = config.rank();
    return peer != rank
        && endpoints.has(peer)
        && Reach.between(
            rank,
            peer,
            config.size(),
            Math.min(connections, Reach.connections(endpoints.get(peer))));
  }

  /** The time that the rank may sleep, in nanoseconds: less if it waits for a peer's answer. */
  long sleep(long maxNanos) {
    return redials > 0 || links.anyBeingMade()
        ? Math.min(maxNanos, Math.min(REDIAL_NANOS, lookNanos))
        : maxNanos;
  }

  /** Withdraws what no peer of this transport knows of. */
  void close() {
    knocks.close();
  }

  // ---- dialling

  /** Starts to connect to a peer without a connection, unless this side must wait. */
  void want(int peer) {
    if (redialAt[peer] == 0 && !links.isLost(peer)) {
      dial(peer);
    }
  }

  private void dial(int peer) {
    if (!reaches(peer)) {
      throw new IllegalArgumentException("rank " + peer + " is not reached by rdma");
    }
    RdmaEndpoint to = Reach.endpoint(endpoints.get(peer));
    if (!lock(peer, this::join)) {
      return;
    }
    attempts[peer]++;
    Greeting.Request request =
        new Greeting.Request(config.rank(), peer, ReceivePool.BASE, random.nextLong());
    try {
      RdmaConnection connection = verbs.dial(to.address(), greeting.request(request, to.nonce()));
      links.add(connection, peer, request, Link.State.DIALLING);
    } catch (IOException e) {
      receives.leave();
      links.lose(peer, String.valueOf(e.getMessage()));
    }
  }

  /** An action that needs locked memory of this process. */
  private interface Locking {
    boolean run() throws IOException;
  }

  /**
   * Runs an action, and if it fails once more after releasing unused registrations. A refusal is no
   * peer's fault: it ends this rank, with the reason. Only a failed device loses the peer.
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
      links.lose(peer, transport.refused(e));
      return false;
    }
  }

  /** Allocates buffers for one more peer. */
  private boolean join() throws IOException {
    receives.join();
    return true;
  }

  // ---- events

  /**
   * Handles events of connections and of the device.
   *
   * @return the number of events
   */
  int look() throws IOException {
    int events = 0;
    for (Verbs.Event event; events < MOST_EVENTS && (event = verbs.nextEvent()) != null; ) {
      events++;
      on(event);
    }
    links.loseAll();
    if (redials > 0) {
      redial();
    }
    if (started && (redials > 0 || links.anyBeingMade())) {
      lookAtSilentPeers();
    }
    return events;
  }

  private void lookAtSilentPeers() {
    long now = clock.getAsLong();
    if (now - lookAt < 0) {
      return;
    }
    lookAt = now + lookNanos;
    for (int peer = 0; peer < redialAt.length; peer++) {
      Link link = links.get(peer);
      boolean waits =
          redialAt[peer] != 0
              || (link != null
                  && (link.state == Link.State.DIALLING || link.state == Link.State.ACCEPTED));
      if (!waits || links.isLost(peer)) {
        knocks.heard(peer);
      } else if (knocks.look(peer, Reach.endpoint(endpoints.get(peer)).address().getAddress())) {
        if (link != null) {
          links.drop(link);
        }
        forgetRedial(peer);
        links.lose(
            peer,
            "neither the rank nor its machine has answered over RDMA for %d ms"
                .formatted(TimeUnit.NANOSECONDS.toMillis(Knocks.LOST_AFTER * lookNanos)));
      }
    }
  }

  private void on(Verbs.Event event) throws IOException {
    if (knocks.on(event)) {
      return;
    }
    RdmaConnection connection = event.connection();
    if (event.kind() == Verbs.Event.Kind.REQUEST) {
      decide(connection, event.greeting());
      return;
    }
    Link link = links.get(connection);
    if (link == null || link.state == Link.State.LOST) {
      return;
    }
    switch (event.kind()) {
      case ESTABLISHED, REJECTED, DISCONNECTED -> knocks.heard(link.peer);
      case REQUEST, FAILED, UNRESOLVED, UNANSWERED, REFUSED_HERE -> {}
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
          links.lose(link, event.reason());
        }
      }
      case REQUEST -> {}
    }
  }

  /** Decides about a dial from a peer. */
  private void decide(RdmaConnection connection, byte[] words) {
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
    knocks.heard(from);
    Link mine = links.get(from);
    if (links.isLost(from) || (mine != null && mine.state == Link.State.OPEN)) {
      refuse(connection, Greeting.refusal(DUPLICATE));
    } else if (config.rank() < from && dials(from, mine)) {
      refuse(connection, Greeting.refusal(CROSSED));
    } else {
      if (mine != null) {
        links.drop(mine); // the higher rank's own attempt, or one that the peer has given up
      }
      accept(connection, request);
    }
  }

  /**
   * Whether it dials a peer, now or later. If both sides dial, one must insist on its dial: else
   * each might accept the attempt that the other has given up, and wait for it.
   */
  private boolean dials(int peer, @Nullable Link mine) {
    return redialAt[peer] != 0 || (mine != null && mine.state == Link.State.DIALLING);
  }

  private static void refuse(RdmaConnection connection, byte[] words) {
    connection.reject(words);
    connection.close();
  }

  private void accept(RdmaConnection connection, Greeting.Request request) {
    int from = request.from();
    forgetRedial(from);
    if (!lock(from, this::join)) {
      refuse(connection, new byte[0]);
      return;
    }
    Link link = links.add(connection, from, request, Link.State.ACCEPTED);
    link.open(request.credits());
    byte[] answer = greeting.answer(request, ReceivePool.BASE, endpoint.nonce());
    if (lock(from, () -> connection.accept(answer))) {
      links.number(link);
    } else {
      // The peer has given up in the meantime and dials again, or else must do so now.
      connection.reject(Greeting.refusal(AGAIN));
      links.drop(link);
    }
  }

  private void established(Link link, byte[] words) {
    if (link.state == Link.State.DIALLING) {
      RdmaEndpoint to = Reach.endpoint(endpoints.get(link.peer));
      int credits = greeting.answered(words, link.request, to.nonce());
      if (credits < 0) {
        links.drop(link);
        links.lose(link.peer, "the process that answered does not know the job's secret");
        return;
      }
      link.open(credits);
      links.number(link);
    }
    links.opened(link);
  }

  private void rejected(Link link, Verbs.Event event) {
    if (link.state == Link.State.OPEN) {
      // Its first frame arrived before the refusal.
      links.lose(link, event.reason());
      return;
    }
    int code = Greeting.refused(event.greeting());
    if (code == AGAIN) {
      attemptFailed(link, event.reason());
      return;
    }
    boolean dialled = link.state == Link.State.DIALLING;
    links.drop(link);
    if (!dialled) {
      return;
    }
    if (code == CROSSED) {
      redialLater(link.peer);
    } else {
      links.lose(link.peer, event.reason() + (code == 0 ? "" : ", code " + code));
    }
  }

  /**
   * Handles a missing route, which loses no peer: when many ranks ask at once, the network's
   * manager may take longer to answer than they wait.
   */
  private void unresolved(Link link, String reason) {
    links.drop(link);
    if (!silent[link.peer]) {
      silent[link.peer] = true;
      diagnostics.report(
          "rank %d finds no RDMA route to rank %d: %s; it tries again"
              .formatted(config.rank(), link.peer, reason));
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
      links.lose(link, reason);
      return;
    }
    links.drop(link);
    if (dialled && attempts[link.peer] < MAX_ATTEMPTS) {
      dial(link.peer);
    } else if (dialled) {
      links.lose(link.peer, reason);
    }
  }

  /**
   * Handles an unanswered request, which loses no peer, as a peer that computes handles no events.
   * A request of this rank is repeated. A connection that it has accepted stays: the peer may
   * handle the answer at any time, and send.
   */
  private void unanswered(Link link) {
    if (link.state == Link.State.DIALLING) {
      links.drop(link);
      if (!silent[link.peer]) {
        silent[link.peer] = true;
        diagnostics.report(
            "rank %d has had no answer from rank %d over RDMA, and dials again; either that rank computes, or a filter is in between"
                .formatted(config.rank(), link.peer));
      }
      attempts[link.peer]--;
      dial(link.peer);
    }
  }

  /** Handles a refused queue pair for this rank's dial: as {@link #lock}, but dials again. */
  private void refusedHere(Link link, String reason) throws IOException {
    links.drop(link);
    String failure = links.loseAll();
    if (failure != null) {
      links.lose(link.peer, failure);
      return;
    }
    if (attempts[link.peer] >= MAX_ATTEMPTS || !cache.releaseUnused()) {
      throw new IOException(reason);
    }
    dial(link.peer);
  }

  // For tests.

  void useClock(LongSupplier nanos) {
    clock = nanos;
    lookAt = nanos.getAsLong();
  }
}
