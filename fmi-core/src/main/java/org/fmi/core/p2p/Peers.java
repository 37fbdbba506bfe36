package org.fmi.core.p2p;

import org.fmi.ErrorClass;
import org.fmi.FmiException;
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
  private Transport[] transports = {};
  private @Nullable Peer[] peers;

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
  }

  Peer get(int other) {
    Peer p = peers[other];
    return p != null ? p : connect(other);
  }

  /** What a receive waits for may be announced only after those that nobody wants yet. */
  void allowMoreAnnouncements() {
    for (Peer p : peers) {
      if (p != null && p.mayAnnounceNoMore()) {
        p.allowMoreAnnouncements();
      }
    }
  }

  private Peer connect(int other) {
    for (Transport t : transports) {
      if (t.reaches(other)) {
        Peer p = new Peer(other, unsent, requests, t, frame, window);
        peers[other] = p;
        return p;
      }
    }
    StringBuilder names = new StringBuilder();
    for (Transport t : transports) {
      names.append(' ').append(t.name());
    }
    throw new FmiException(
        ErrorClass.OTHER,
        "rank " + other + " cannot be reached from rank " + rank + "; transports:" + names);
  }
}
