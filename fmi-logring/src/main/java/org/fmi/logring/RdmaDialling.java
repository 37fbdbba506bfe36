package org.fmi.logring;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.LongSupplier;
import org.fmi.spi.RankConfig;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.RdmaEndpoint;
import org.fmi.verbs.Verbs;

/**
 * Makes links over RDMA: dials neighbours, answers dials, and decides by the connection manager's
 * events on the fate of an attempt. Used on the links' thread.
 */
final class RdmaDialling {
  /** Refusal: no such neighbour in this epoch, or it already has a link. */
  private static final int NOT_EXPECTED = 1;

  /** Refusal: this side's device did not make the connection; try again. */
  private static final int AGAIN = 2;

  /** The most attempts, if the connection manager fails for internal reasons. */
  private static final int MAX_ATTEMPTS = 4;

  private final RankConfig config;
  private final List<Integer> neighbours;
  private final RingLinks.Handler handler;
  private final Verbs verbs;
  private final LongSupplier clock;
  private final long timeoutNanos;
  private final Greeting greeting;
  private final RdmaEndpoint endpoint;
  private final SecureRandom random = new SecureRandom();
  private final RdmaLinkTable links;
  private final RdmaFrames frames;
  private boolean refusing;

  /**
   * @param neighbours the expected neighbours
   * @param clock the time in nanoseconds; only differences count
   * @param timeoutNanos the time limit for a neighbour's answer
   */
  RdmaDialling(
      RankConfig config,
      int epoch,
      List<Integer> neighbours,
      RingLinks.Handler handler,
      Verbs verbs,
      LongSupplier clock,
      long timeoutNanos,
      RdmaLinkTable links,
      RdmaFrames frames) {
    this.config = config;
    this.neighbours = neighbours;
    this.handler = handler;
    this.verbs = verbs;
    this.clock = clock;
    this.timeoutNanos = timeoutNanos;
    this.greeting = new Greeting(config.secret(), config.jobId(), epoch);
    this.links = links;
    this.frames = frames;
    byte[] nonce = new byte[RdmaEndpoint.NONCE_BYTES];
    random.nextBytes(nonce);
    this.endpoint = new RdmaEndpoint(nonce, verbs.address());
  }

  byte[] endpoint() {
    return endpoint.bytes();
  }

  /** Dials a neighbour for the first time. */
  void dial(int peer, RdmaEndpoint to) {
    dial(peer, to, 1, 0);
  }

  private void dial(int peer, RdmaEndpoint to, int attempt, long deadline) {
    Greeting.Request request =
        new Greeting.Request(config.rank(), peer, Window.FRAMES, random.nextLong());
    try {
      RdmaConnection connection = verbs.dial(to.address(), greeting.request(request, to.nonce()));
      RdmaLink link = links.add(connection, request, peer, RdmaLink.State.DIALLING);
      link.to = to;
      link.attempt = attempt;
      link.deadline = deadline;
    } catch (IOException e) {
      links.closed(peer, String.valueOf(e.getMessage()));
    }
  }

  /** Refuses all further dials. */
  void refuseAll() {
    refusing = true;
  }

  /** Handles an event of a connection. */
  void on(Verbs.Event event) throws IOException {
    RdmaConnection connection = event.connection();
    if (event.kind() == Verbs.Event.Kind.REQUEST) {
      decide(connection, event.greeting());
      return;
    }
    RdmaLink link = links.get(connection);
    if (link == null || link.state == RdmaLink.State.LOST) {
      return;
    }
    switch (event.kind()) {
      case ESTABLISHED -> established(link, event.greeting());
      case REJECTED -> {
        int code = Greeting.refused(event.greeting());
        if (code == AGAIN) {
          failed(link, event.reason());
        } else {
          links.drop(link, event.reason() + (code == 0 ? "" : ", code " + code));
        }
      }
      case FAILED, DISCONNECTED -> {
        if (link.state == RdmaLink.State.OPEN) {
          frames.takeCompletions(); // a goodbye comes first
          links.lose(link, event.reason());
        } else {
          failed(link, event.reason());
        }
      }
      case UNRESOLVED -> failed(link, event.reason());
      case UNANSWERED -> {
        // A connection accepted by this rank may still open; heartbeats watch an open one.
        if (link.state == RdmaLink.State.DIALLING) {
          failed(link, event.reason());
        }
      }
      case REFUSED_HERE -> {
        links.remove(link);
        handler.onBroken(event.reason());
      }
      case REQUEST -> {}
    }
  }

  /** Decides about a dial from a neighbour. */
  private void decide(RdmaConnection connection, byte[] words) throws IOException {
    Greeting.Request request = greeting.request(words, endpoint.nonce());
    if (request == null) {
      refuse(connection, new byte[0]);
      return;
    }
    int from = request.from();
    RdmaLink mine = links.get(from);
    if (refusing
        || request.to() != config.rank()
        || !neighbours.contains(from)
        || links.met(from)
        || (mine != null && mine.state != RdmaLink.State.ACCEPTED)) {
      refuse(connection, Greeting.refusal(NOT_EXPECTED));
      return;
    }
    if (mine != null) {
      links.drop(mine, "given up by the peer");
    }
    RdmaLink link = links.add(connection, request, from, RdmaLink.State.ACCEPTED);
    if (connection.accept(greeting.answer(request, Window.FRAMES, endpoint.nonce()))) {
      links.number(link);
    } else {
      // The neighbour dials again, or else must do so now.
      connection.reject(Greeting.refusal(AGAIN));
      links.drop(link, "given up by the peer");
    }
  }

  private static void refuse(RdmaConnection connection, byte[] words) {
    connection.reject(words);
    connection.close();
  }

  private void established(RdmaLink link, byte[] words) {
    if (link.state == RdmaLink.State.DIALLING) {
      RdmaEndpoint to = link.to;
      if (to == null || greeting.answered(words, link.request, to.nonce()) != Window.FRAMES) {
        links.drop(link, "the process that answered does not know the job's secret");
        return;
      }
      links.number(link);
    }
    links.opened(link);
  }

  /** Handles an attempt that failed for reasons of the connection manager. */
  private void failed(RdmaLink link, String reason) {
    RdmaEndpoint to = link.to;
    if (to != null
        && link.attempt < MAX_ATTEMPTS
        && (link.deadline == 0 || clock.getAsLong() - link.deadline < 0)) {
      links.remove(link);
      dial(link.peer, to, link.attempt + 1, link.deadline);
    } else {
      links.drop(link, reason);
    }
  }

  /**
   * Repeats a request. The connection manager repeats a lost request too, but on InfiniBand only
   * after a neighbour's time limit. If the answer is already on its way, the neighbour takes the
   * later request instead.
   */
  private void askAgain(RdmaLink link) {
    RdmaEndpoint to = link.to;
    if (to != null) {
      links.remove(link);
      dial(link.peer, to, link.attempt, link.deadline);
    }
  }

  /**
   * Handles a beat without an answer: repeats the request, or loses the neighbour if the request is
   * too old. A route found late does not count against the neighbour.
   */
  void waited(RdmaLink link, long now) {
    if (!link.connection.asked()) {
      return;
    }
    if (link.deadline == 0) {
      link.deadline = now + timeoutNanos == 0 ? 1 : now + timeoutNanos;
    } else if (now - link.deadline >= 0) {
      links.lose(link, "no answer within " + config.job().heartbeatMillis() + " ms");
      return;
    }
    if (++link.beatsUnanswered > 1) {
      askAgain(link);
    }
  }
}
