package org.fmi.logring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.fmi.net.Heartbeat;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * The links of a rank over RDMA: which there are, and how each begins and ends. It tells the
 * handler of both. Used on the links' thread.
 */
final class RdmaLinkTable {
  private final RingLinks.Handler handler;
  private final Verbs verbs;
  private final Sleeper sleeper;
  private final LongSupplier clock;
  private final long timeoutNanos;

  /** All there ever were; a send's id is the place of its link. */
  private final List<RdmaLink> all = new ArrayList<>();

  /** By rank: those that stand or are being made. */
  private final Map<Integer, RdmaLink> links = new HashMap<>();

  private final Map<RdmaConnection, RdmaLink> byConnection = new HashMap<>();
  private final Map<Integer, RdmaLink> byNumber = new HashMap<>();

  /** Neighbours whose link has stood: they get no other. */
  private final Set<Integer> met = new HashSet<>();

  /**
   * @param sleeper where the thread sleeps
   * @param clock the time in nanoseconds; only differences count
   * @param timeoutNanos of heartbeats
   */
  RdmaLinkTable(
      RingLinks.Handler handler,
      Verbs verbs,
      Sleeper sleeper,
      LongSupplier clock,
      long timeoutNanos) {
    this.handler = handler;
    this.verbs = verbs;
    this.sleeper = sleeper;
    this.clock = clock;
    this.timeoutNanos = timeoutNanos;
  }

  /** The one with a neighbour that stands or is being made; null if there is none. */
  @Nullable RdmaLink get(int peer) {
    return links.get(peer);
  }

  /** The one of a connection; null if there is none any more. */
  @Nullable RdmaLink get(RdmaConnection connection) {
    return byConnection.get(connection);
  }

  /** The one of a connection's number; null if there is none any more. */
  @Nullable RdmaLink byNumber(int number) {
    return byNumber.get(number);
  }

  /** The one over which something of this id was sent. */
  RdmaLink sender(long id) {
    return all.get((int) id);
  }

  /** Those that stand or are being made. */
  List<RdmaLink> current() {
    return List.copyOf(links.values());
  }

  /** Those whose connection is not closed. */
  Collection<RdmaLink> connected() {
    return byConnection.values();
  }

  /** Whether a link with the neighbour has stood. */
  boolean met(int peer) {
    return met.contains(peer);
  }

  // ---- beginning

  RdmaLink add(
      RdmaConnection connection, Greeting.Request request, int peer, RdmaLink.State state) {
    RdmaLink link = new RdmaLink(all.size(), connection, request, peer, state, newHeartbeat());
    all.add(link);
    links.put(peer, link);
    byConnection.put(connection, link);
    return link;
  }

  private Heartbeat newHeartbeat() {
    return new Heartbeat(timeoutNanos, clock.getAsLong());
  }

  /** Its connection has a number from now on. */
  void number(RdmaLink link) {
    byNumber.put(link.connection.number(), link);
  }

  void opened(RdmaLink link) {
    if (link.state != RdmaLink.State.OPEN) {
      link.state = RdmaLink.State.OPEN;
      link.heartbeat = newHeartbeat();
      met.add(link.peer);
      handler.onOpen(link.peer);
    }
  }

  // ---- ending

  /** Ends an attempt: no frame has gone over it. */
  void drop(RdmaLink link, String reason) {
    boolean dialled = link.state == RdmaLink.State.DIALLING;
    remove(link);
    if (dialled) {
      closed(link.peer, reason);
    }
  }

  void remove(RdmaLink link) {
    link.state = RdmaLink.State.LOST;
    links.remove(link.peer, link);
    byConnection.remove(link.connection);
    byNumber.remove(link.connection.number(), link);
    link.connection.close();
  }

  /** A link is over. */
  void lose(RdmaLink link, String reason) {
    switch (link.state) {
      case OPEN -> {
        link.state = RdmaLink.State.LOST;
        links.remove(link.peer, link);
        link.connection.disconnect();
        closed(link.peer, reason);
      }
      case DIALLING, ACCEPTED -> drop(link, reason);
      case LOST -> {}
    }
  }

  /** Tells that a link is over, unless that is the doing of this rank's own device. */
  void closed(int peer, String reason) {
    if (!broken()) {
      handler.onClosed(peer, reason);
    }
  }

  /** Whether this rank's own device has failed since last asked, which is reported. */
  boolean broken() {
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
    // Those of a device that was removed are readable forever.
    sleeper.watch(-1, -1, -1);
    return true;
  }
}
