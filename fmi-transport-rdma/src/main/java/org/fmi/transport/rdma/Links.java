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
 * The connections of a transport, one {@link Link} each, and the lost peers.
 *
 * <p>The connection manager reports the end of a peer's process; work that completes with an error
 * reveals a silent peer; the device reports that its port goes down. A failed connection is never
 * used again. Its buffers, and the program's memory that it reads into, are held until the
 * transport closes.
 */
final class Links {
  /** The piece of a long message that is read at once, if the device can. */
  private static final int PIECE_BYTES = 1 << 20;

  private final Verbs verbs;
  private final SendPool sends;
  private final ReceivePool receives;
  private final int depth;

  /** By rank: its connection, or the attempt to make one. */
  private final @Nullable Link[] byRank;

  private final Map<RdmaConnection, Link> byConnection = new HashMap<>();
  private final LinkTable byNumber = new LinkTable();

  /** The number of connections being made. */
  private int beingMade;

  private final boolean[] lost;
  private final ArrayDeque<Loss> losses = new ArrayDeque<>();

  /** Whether all work is ended and peers need no notification. */
  private boolean halted;

  private record Loss(int peer, String reason) {}

  /**
   * @param size the number of ranks
   * @param depth the most outstanding work requests per connection
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

  /** The link of this number; null if there is none. */
  @Nullable Link byNumber(int number) {
    return byNumber.get(number);
  }

  /** All links: open, being made, or lost. */
  Collection<Link> all() {
    return byConnection.values();
  }

  /** Whether any connection is being made. */
  boolean anyBeingMade() {
    return beingMade > 0;
  }

  boolean isLost(int peer) {
    return lost[peer];
  }

  // ---- life cycle

  /** Adds an attempt for which there are buffers. */
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
    beingMade++;
    return link;
  }

  /** Registers the number of its connection. */
  void number(Link link) {
    byNumber.put(link);
  }

  /** Opens the link: the peer knows of it, or its first frame has arrived. */
  void opened(Link link) {
    if (link.state != Link.State.OPEN) {
      link.state = Link.State.OPEN;
      beingMade--;
    }
  }

  /** Ends an attempt over which no frame was sent. */
  void drop(Link link) {
    if (byRank[link.peer] == link) {
      byRank[link.peer] = null;
    }
    byConnection.remove(link.connection);
    if (link.state == Link.State.DIALLING || link.state == Link.State.ACCEPTED) {
      beingMade--;
      receives.leave();
    }
    link.state = Link.State.LOST;
    link.mute = true;
    link.connection.close();
  }

  // ---- losses

  /** Loses all links if the device has failed. Returns the failure; null if there is none. */
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
      beingMade--;
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

  /** Whether there are unreported losses. */
  boolean anyLoss() {
    return !losses.isEmpty();
  }

  /** Reports losses; returns their number. */
  int report(FrameHandler handler) {
    int reported = 0;
    for (Loss loss; (loss = losses.poll()) != null; ) {
      reported++;
      handler.onPeerLost(loss.peer, loss.reason);
    }
    return reported;
  }

  // ---- the end

  /** Ends all work of the device, without notifying peers. */
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

  /** Drops all links, so that nothing is offered any more. */
  void forget() {
    Arrays.fill(byRank, null);
  }
}
