package org.fmi.core.p2p;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.fmi.ErrorClass;
import org.fmi.FmiException;
import org.fmi.control.Counter;
import org.fmi.control.RankReport.Untaken;
import org.fmi.spi.Medium;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * The other ranks of an epoch, each connected on first use by the first transport that reaches it.
 */
final class Peers {
  private final int rank;
  private final long window;
  private final Frame frame;
  private final SendList unsent;
  private final Requests requests;
  private final Losses losses;
  private Ledger ledger = Ledger.NONE;
  private Transport[] transports = {};
  private @Nullable Peer[] peers;

  /** The number of connected peers per medium; replaced, never changed. */
  private volatile Map<Medium, Long> connected = Map.of();

  /**
   * A table in which no rank can be reached yet.
   *
   * @param frame the frame that all peers send with
   */
  Peers(int rank, int size, Frame frame, SendList unsent, Requests requests, Losses losses) {
    this.losses = losses;
    this.rank = rank;
    this.window = FlowLimits.windowBytes(size);
    this.frame = frame;
    this.unsent = unsent;
    this.requests = requests;
    this.peers = new Peer[size];
  }

  /** Begins an epoch. */
  void reset(Transport[] epochTransports) {
    transports = epochTransports;
    peers = new Peer[peers.length];
    connected = Map.of();
  }

  /** Calls {@link Peer#leave} on all peers. */
  void leave(List<MessageRequest> receives) {
    for (Peer p : peers) {
      if (p != null) {
        p.leave(receives);
      }
    }
  }

  void ledger(Ledger next) {
    ledger = next;
    for (Peer p : peers) {
      if (p != null) {
        p.ledger(next);
      }
    }
  }

  /** Calls {@link Peer#forEachIncoming} on all peers. */
  void forEachIncoming(Consumer<MessageRequest> each) {
    for (Peer p : peers) {
      if (p != null) {
        p.forEachIncoming(each);
      }
    }
  }

  /** Adds the numbers of connected peers. Any thread: the numbers may be slightly outdated. */
  void count(Map<Counter, Long> counters) {
    Map<Medium, Long> now = connected;
    for (Medium medium : Medium.values()) {
      Counter counter = Counter.peersOver(medium);
      if (counter != null) {
        counters.put(counter, now.getOrDefault(medium, 0L));
      }
    }
  }

  Peer get(int other) {
    Peer p = peers[other];
    return p != null ? p : connect(other);
  }

  /**
   * The most frequent peer and tag of copied messages that their peers have not taken; null if
   * there are none.
   */
  @Nullable Untaken untaken() {
    Map<List<Integer>, Untaken> all = new HashMap<>();
    for (Peer p : peers) {
      if (p != null) {
        p.forEachSend(
            r -> {
              if (r.buffer != null && r.buffer.equals(requests.copies)) {
                int tag = Contexts.isCollective(r.context) ? Untaken.NO_TAG : (int) r.tag;
                all.merge(List.of(r.peer, tag), new Untaken(r.peer, tag, 1, r.bytes), Untaken::and);
              }
            });
      }
    }
    return all.values().stream().max(Comparator.comparingLong(Untaken::messages)).orElse(null);
  }

  /**
   * Allows more announcements: an awaited message may be announced after ones that no receive wants
   * yet.
   */
  void allowMoreAnnouncements() {
    for (Peer p : peers) {
      if (p != null && p.waiting.isFull()) {
        p.allowMoreAnnouncements();
      }
    }
  }

  /**
   * Asks peers to announce: an awaited message may be queued after ones held back for this rank's
   * credit.
   */
  void askToAnnounce() {
    for (Peer p : peers) {
      if (p != null) {
        p.askToAnnounce();
      }
    }
  }

  /** The peer if it is connected and lives. */
  @Nullable Peer known(int other) {
    return peers[other];
  }

  /** Ends all requests that need a rank, which has died. */
  void bury(int dead) {
    Peer p = peers[dead];
    if (p != null) {
      peers[dead] = null;
      unsent.remove(p);
      p.bury();
    }
  }

  /** Calls {@link Peer#endContexts} on all peers. */
  void endContexts() {
    for (Peer p : peers) {
      if (p != null) {
        p.endContexts();
      }
    }
  }

  private Peer connect(int other) {
    if (losses.isDead(other)) {
      throw losses.error(
          MessageRequest.State.PEER_DEAD, Contexts.pointToPoint(Contexts.WORLD), other);
    }
    for (Transport t : transports) {
      if (t.reaches(other)) {
        Peer p = new Peer(other, unsent, requests, t, frame, window, losses, ledger);
        peers[other] = p;
        Map<Medium, Long> next = new HashMap<>(connected);
        next.merge(t.medium(), 1L, Long::sum);
        connected = next;
        return p;
      }
    }
    StringBuilder names = new StringBuilder();
    for (Transport t : transports) {
      names.append(' ').append(t.name());
    }
    throw new FmiException(
        ErrorClass.SYSTEM,
        "rank " + other + " cannot be reached from rank " + rank + "; transports:" + names);
  }
}
