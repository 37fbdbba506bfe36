package org.fmi.transport.rdma;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.fmi.spi.FrameHandler;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Verbs;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a transport, a {@link Link} each, and which peers are lost.
 *
 * <p>The connection manager tells when a peer's process has ended; work that completes with an
 * error tells when the peer is silent; the device tells when its port goes down. A failed
 * connection is never used again. Its buffers, and the program's memory that it reads into, are
 * held until the transport closes.
 */
final class Links {
  /** Of long messages so much is read at once, if the device can. */
  private static final int PIECE_BYTES = 1 << 20;

  private final Verbs verbs;
  private final SendPool sends;
  private final ReceivePool receives;
  private final int depth;

  /** By rank: its connection, or the attempt to make one. */
  private final @Nullable Link[] byRank;

  private final Map<RdmaConnection, Link> byConnection = new HashMap<>();
  private final LinkTable byNumber = new LinkTable();

  /** How many are being made. */
  private int underWay;

  private final boolean[] lost;
  private final ArrayDeque<Loss> losses = new ArrayDeque<>();

  /** The device works for none of them any more, and the peers need not be notified. */
  private boolean halted;

  private record Loss(int peer, String reason) {}

  /**
   * @param size of the job
   * @param depth work a connection may have outstanding
   */
  Links(int size, Verbs verbs, SendPool sends, ReceivePool receives, int depth) {
    this.verbs = verbs;
    this.sends = sends;
    this.receives = receives;
    this.depth = depth;
    this.byRank = new Link[size];
    this.lost = new boolean[size];
  }

  /** The connection to a peer, or the attempt to make one; null if there is neither. */
  @Nullable Link get(int peer) {
    return byRank[peer];
  }

  /** The link of a connection; null if the attempt was dropped. */
  @Nullable Link get(RdmaConnection connection) {
    return byConnection.get(connection);
  }

  /** The connection of this number; null if there is none. */
  @Nullable Link byNumber(int number) {
    return byNumber.get(number);
  }

  /** Those that stand, are being made, or were lost. */
  Collection<Link> all() {
    return byConnection.values();
  }

  /** Whether some are being made. */
  boolean anyUnderWay() {
    return underWay > 0;
  }

  boolean isLost(int peer) {
    return lost[peer];
  }

  // ---- their life

  /** An attempt begins, for which there are buffers. */
  Link add(RdmaConnection connection, int peer, Greeting.Request request, Link.State state) {
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
    byRank[peer] = link;
    byConnection.put(connection, link);
    underWay++;
    return link;
  }

  /** Its connection has a number from now on. */
  void number(Link link) {
    byNumber.put(link);
  }

  /** The connection stands: the peer knows, or a frame of its has come. */
  void opened(Link link) {
    if (link.state != Link.State.OPEN) {
      link.state = Link.State.OPEN;
      underWay--;
    }
  }

  /** Ends an attempt: no frame has gone over it. */
  void drop(Link link) {
    if (byRank[link.peer] == link) {
      byRank[link.peer] = null;
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

  // ---- losing them

  /** With a device that has failed all connections are lost. Returns how it has, null if not. */
  @Nullable String loseAll() throws IOException {
    String failure = verbs.deviceFailure();
    if (failure != null) {
      for (Link link : byRank) {
        if (link != null) {
          lose(link, failure);
        }
      }
    }
    return failure;
  }

  void lose(Link link, String reason) {
    if (link.state == Link.State.LOST) {
      return;
    }
    if (link.state != Link.State.OPEN) {
      underWay--;
    }
    link.state = Link.State.LOST;
    if (!halted) {
      link.connection.disconnect();
    }
    lose(link.peer, reason);
  }

  void lose(int peer, String reason) {
    if (!lost[peer]) {
      lost[peer] = true;
      losses.add(new Loss(peer, reason));
    }
  }

  /** Whether there are losses that were not reported yet. */
  boolean anyLoss() {
    return !losses.isEmpty();
  }

  /** Returns how many losses were reported. */
  int report(FrameHandler handler) {
    int reported = 0;
    for (Loss loss; (loss = losses.poll()) != null; ) {
      reported++;
      handler.onPeerLost(loss.peer, loss.reason);
    }
    return reported;
  }

  // ---- the end

  /** Ends all work of the device, without a word to the peers. */
  void halt() throws IOException {
    halted = true;
    for (Link link : all()) {
      link.connection.halt();
    }
  }

  void disconnect() {
    for (Link link : all()) {
      link.connection.disconnect();
    }
  }

  void close() {
    for (Link link : all()) {
      link.connection.close();
    }
  }

  /** Forgets them: nothing is offered any more. */
  void forget() {
    Arrays.fill(byRank, null);
  }
}
