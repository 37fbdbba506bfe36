package org.fmi.transport.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes peers that compute, and so answer no request for a connection, from peers that are
 * cut off: asks the machine of a silent peer for a connection to a port without a listener. Its
 * system refuses at once, whatever its processes do.
 *
 * <pre>
 *   looks   0          {@value #KNOCK_AFTER}                              {@value #LOST_AFTER}
 *           dialled    knocks: refused, so it counts anew           lost
 *                              unanswered, so it knocks again
 * </pre>
 *
 * It counts looks, a quarter of the heartbeat's timeout apart, not time: this rank may compute too,
 * and first takes in what has arrived meanwhile.
 */
final class Knocks {
  /** The looks without an answer after which the peer's machine is asked: one timeout. */
  static final int KNOCK_AFTER = 4;

  /** The looks without any answer after which the peer is lost: six timeouts. */
  static final int LOST_AFTER = 24;

  /** A port that only a system's own services may use, none of them over RDMA. */
  static final int NOBODY = 1;

  private final Verbs verbs;

  /** By rank: the looks in a row at which it was waited for, without a sign of it. */
  private final int[] looks;

  /** By rank: the question to its machine, while it is unanswered. */
  private final @Nullable RdmaConnection[] asked;

  /** The peers of these questions. */
  private final Map<RdmaConnection, Integer> peers = new HashMap<>();

  Knocks(int size, Verbs verbs) {
    this.verbs = verbs;
    this.looks = new int[size];
    this.asked = new RdmaConnection[size];
  }

  /**
   * Counts a look at a peer that is waited for.
   *
   * @return whether it is lost
   */
  boolean look(int peer, InetAddress machine) {
    if (++looks[peer] >= LOST_AFTER) {
      heard(peer);
      return true;
    }
    if (looks[peer] >= KNOCK_AFTER && asked[peer] == null) {
      try {
        RdmaConnection question = verbs.dial(new InetSocketAddress(machine, NOBODY), new byte[0]);
        asked[peer] = question;
        peers.put(question, peer);
      } catch (IOException e) {
        // No address, no route, or no memory at this moment: the next look tries again.
      }
    }
    return false;
  }

  /** Notes a sign of a peer or of its machine, or that it is not waited for any more. */
  void heard(int peer) {
    looks[peer] = 0;
    RdmaConnection question = asked[peer];
    if (question != null) {
      close(peer, question);
    }
  }

  private void close(int peer, RdmaConnection question) {
    asked[peer] = null;
    peers.remove(question);
    question.close();
  }

  /** Handles an event if it belongs to a question; returns whether it does. */
  boolean on(Verbs.Event event) {
    Integer peer = peers.get(event.connection());
    if (peer == null) {
      return false;
    }
    switch (event.kind()) {
      case UNANSWERED, UNRESOLVED -> close(peer, event.connection());
      // Refused by the machine; or by this one, which proves nothing.
      case REJECTED, ESTABLISHED, DISCONNECTED, FAILED, REFUSED_HERE, REQUEST -> heard(peer);
    }
    return true;
  }

  /** Withdraws all questions. */
  void close() {
    for (int peer = 0; peer < asked.length; peer++) {
      heard(peer);
    }
  }
}
