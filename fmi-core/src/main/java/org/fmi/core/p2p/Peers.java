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
 * Finds the other ranks of an epoch, each connected on first use by the first transport that can.
 */
final class Peers {
  private final int rank;
  private final long window;
  private final Frame frame;
  private final SendList unsent;
  private final Requests requests;
  private Ledger ledger = Ledger.NONE;
  private Transport[] transports = {};
  private @Nullable Peer[] peers;

  /** How many are connected through each medium; replaced by another map with each. */
  private volatile Map<Medium, Long> connected = Map.of();

  /**
   * Nobody can be reached yet.
   *
   * @param frame that all of them send by
   */
  Peers(int rank, int size, Frame frame, SendList unsent, Requests requests) {
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

  /** {@link Peer#leave} of all of them. */
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

  /** {@link Peer#forEachIncoming} of all of them. */
  void forEachIncoming(Consumer<MessageRequest> each) {
    for (Peer p : peers) {
      if (p != null) {
        p.forEachIncoming(each);
      }
    }
  }

  /** Adds how many are connected. Any thread: the numbers may be a little old. */
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
   * Of the copies of messages that their peers have not taken, those of the peer and tag of which
   * there are most; null if there are none.
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

  /** What a receive waits for may be announced only after those that nobody wants yet. */
  void allowMoreAnnouncements() {
    for (Peer p : peers) {
      if (p != null && p.waiting.isFull()) {
        p.allowMoreAnnouncements();
      }
    }
  }

  /** What a call waits for may be behind what is held back for this rank's credit. */
  void askToAnnounce() {
    for (Peer p : peers) {
      if (p != null) {
        p.askToAnnounce();
      }
    }
  }

  private Peer connect(int other) {
    for (Transport t : transports) {
      if (t.reaches(other)) {
        Peer p = new Peer(other, unsent, requests, t, frame, window, ledger);
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
