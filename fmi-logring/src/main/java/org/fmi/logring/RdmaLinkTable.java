package org.fmi.logring;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.fmi.net.Heartbeat;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Sleeper;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA links of a rank, from their beginning to their end, both of which it reports to the
 * handler. Used on the links' thread.
 */
final class RdmaLinkTable {
  private final RingLinks.Handler handler;
  private final Verbs verbs;
  private final Sleeper sleeper;
  private final LongSupplier clock;
  private final long timeoutNanos;
  private final long periodNanos;

  /** All links so far; a send's id is the index of its link. */
  private final List<RdmaLink> all = new ArrayList<>();

  /** By rank: the links that are open or being made. */
  private final Map<Integer, RdmaLink> links = new HashMap<>();

  private final Map<RdmaConnection, RdmaLink> byConnection = new HashMap<>();
  private final Map<Integer, RdmaLink> byNumber = new HashMap<>();

  /** Neighbours whose link has been open; they get no other. */
  private final Set<Integer> met = new HashSet<>();

  /**
   * @param sleeper the sleeper of the thread
   * @param clock the time in nanoseconds; only differences count
   * @param timeoutNanos the heartbeat timeout
   * @param periodNanos the time between two heartbeats
   */
  RdmaLinkTable(
      RingLinks.Handler handler,
      Verbs verbs,
      Sleeper sleeper,
      LongSupplier clock,
      long timeoutNanos,
      long periodNanos) {
    this.handler = handler;
    this.verbs = verbs;
    this.sleeper = sleeper;
    this.clock = clock;
    this.timeoutNanos = timeoutNanos;
    this.periodNanos = periodNanos;
  }

  /** The link to a neighbour that is open or being made; null if there is none. */
  @Nullable RdmaLink get(int peer) {
    return links.get(peer);
  }

  /** The link of a connection; null if there is none any more. */
  @Nullable RdmaLink get(RdmaConnection connection) {
    return byConnection.get(connection);
  }

  /** The link of a connection's number; null if there is none any more. */
  @Nullable RdmaLink byNumber(int number) {
    return byNumber.get(number);
  }

  /** The link of a send's id. */
  RdmaLink sender(long id) {
    return all.get((int) id);
  }

  /** The links that are open or being made. */
  List<RdmaLink> current() {
    return List.copyOf(links.values());
  }

  /** The links whose connection is not closed. */
  Collection<RdmaLink> connected() {
    return byConnection.values();
  }

  /** Whether a link to the neighbour has been open. */
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
    return new Heartbeat(timeoutNanos, periodNanos, clock.getAsLong());
  }

  /** Registers the number of its connection. */
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

  /** Ends an attempt over which no frame was sent. */
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

  /**
   * Reports a neighbour's silence.
   *
   * @return whether the link is over
   */
  boolean silent(RdmaLink link, long now, long nanos) {
    String reason = "silent for " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    if (handler.onSilent(link.peer, reason)) {
      lose(link, reason);
      return true;
    }
    link.silent = true;
    link.heartbeat.received(now);
    return false;
  }

  /** Notes that something has arrived over a link. */
  void heard(RdmaLink link) {
    link.heartbeat.received(clock.getAsLong());
    if (link.silent) {
      link.silent = false;
      handler.onHeard(link.peer);
    }
  }

  /** Ends a link. */
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

  /** Reports that a link is over, unless this rank's own device is the cause. */
  void closed(int peer, String reason) {
    if (!broken()) {
      handler.onClosed(peer, reason);
    }
  }

  /** Whether this rank's own device has failed since the last call; reports the failure. */
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
    // Descriptors of a removed device are readable forever.
    sleeper.watch(-1, -1, -1);
    return true;
  }
}
