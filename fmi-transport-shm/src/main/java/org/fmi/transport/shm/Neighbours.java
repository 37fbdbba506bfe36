package org.fmi.transport.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.fmi.node.BellRope;
import org.fmi.spi.Endpoints;
import org.jspecify.annotations.Nullable;

/**
 * The other ranks of this node: their rings and inboxes, and which ranks have left.
 *
 * <p>A rank's endpoint is {@code NAME@NODE}: its inbox's name, and {@link NodeFiles#node}.
 */
final class Neighbours {
  private final int self;
  private final NodeFiles files;

  /** By rank. */
  private final @Nullable Neighbour[] byRank;

  /** By rank: the ring to it; null if there is none, or it is lost. */
  private final @Nullable OutRing[] outgoing;

  /** By rank: the number of its node; negative if it does not use this transport. */
  private final int[] nodes;

  private final List<Neighbour> all = new ArrayList<>();
  private final ArrayDeque<Neighbour> losses = new ArrayDeque<>();
  private @Nullable BellRope rope;

  Neighbours(int self, int size, NodeFiles files) {
    this.self = self;
    this.files = files;
    this.byRank = new Neighbour[size];
    this.outgoing = new OutRing[size];
    this.nodes = new int[size];
  }

  static byte[] endpoint(String name, String node) {
    return (name + "@" + node).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * See {@link org.fmi.spi.Transport#start}.
   *
   * @param mine the endpoint of this rank
   */
  void start(byte[] mine, Endpoints endpoints) {
    String node = nodeOf(mine);
    Map<String, Integer> numbers = new HashMap<>();
    for (int rank = 0; rank < endpoints.size(); rank++) {
      byte[] endpoint = endpoints.get(rank);
      if (endpoint.length == 0) {
        nodes[rank] = -1;
        continue;
      }
      String theirs = nodeOf(endpoint);
      nodes[rank] = numbers.computeIfAbsent(theirs, _ -> numbers.size());
      if (rank != self && node.equals(theirs)) {
        String text = new String(endpoint, StandardCharsets.UTF_8);
        Neighbour n = new Neighbour(rank, text.substring(0, text.indexOf('@')));
        byRank[rank] = n;
        all.add(n);
      }
    }
  }

  private static String nodeOf(byte[] endpoint) {
    String text = new String(endpoint, StandardCharsets.UTF_8);
    return text.substring(text.indexOf('@') + 1);
  }

  /** See {@link org.fmi.spi.NodeShare#node}. */
  int node(int rank) {
    return nodes[rank];
  }

  /** The neighbour of this rank; null if it is not on this node. */
  @Nullable Neighbour get(int rank) {
    return byRank[rank];
  }

  List<Neighbour> all() {
    return all;
  }

  /** The ring to a rank; null if there is none, or the rank is lost. */
  @Nullable OutRing ring(int rank) {
    return outgoing[rank];
  }

  void setRing(int rank, OutRing ring) {
    outgoing[rank] = ring;
  }

  // ---- notifications

  /** The neighbour's inbox; null if it has left, which loses it. */
  @Nullable Inbox openInbox(Neighbour n) {
    try {
      Inbox theirs = inboxOf(n);
      if (theirs == null) {
        lose(n);
      }
      return theirs;
    } catch (IOException e) {
      throw NodeFiles.failed(e);
    }
  }

  /** The neighbour's inbox; null if it has left. */
  @Nullable Inbox inboxOf(Neighbour n) throws IOException {
    Inbox theirs = n.inbox;
    if (theirs == null) {
      try {
        theirs = new Inbox(files.open(n.name));
        n.inbox = theirs;
      } catch (NoSuchFileException e) {
        return null;
      }
    }
    return theirs;
  }

  /** See {@link org.fmi.spi.NodeShare#nudge}. */
  void nudge(int rank) {
    Neighbour n = byRank[rank];
    if (n == null || n.lost) {
      return;
    }
    Inbox theirs = n.inbox;
    if (theirs == null) {
      theirs = openInbox(n);
    }
    if (theirs != null && theirs.bell() != Inbox.AWAKE) {
      notAwake(rank, theirs);
    }
  }

  /** Wakes a neighbour that sleeps, or loses one that has left. */
  void notAwake(int rank, Inbox theirs) {
    Neighbour n = byRank[rank];
    if (n != null && theirs.bell() == Inbox.CLOSED) {
      lose(n);
    } else {
      wake(theirs);
    }
  }

  void wake(Inbox theirs) {
    int port = theirs.bell();
    if (port > Inbox.AWAKE && theirs.take(port)) {
      ringBell(port);
    }
  }

  /** Wakes a rank that finds out by itself a little later if the system refuses the means. */
  private void wakeIfPermitted(Inbox theirs) {
    try {
      wake(theirs);
    } catch (UncheckedIOException e) {
      // Its sleeps are short, and this rank has nothing more to say.
    }
  }

  private void ringBell(int port) {
    try {
      BellRope r = rope;
      if (r == null) {
        r = new BellRope();
        rope = r;
      }
      r.ring(port);
    } catch (IOException e) {
      throw new UncheckedIOException("shm: cannot wake a neighbour at UDP port " + port, e);
    }
  }

  // ---- losses

  void lose(Neighbour n) {
    outgoing[n.rank] = null;
    if (!n.lost) {
      n.lost = true;
      losses.add(n);
    }
  }

  /** Whether there are unreported losses. */
  boolean anyLoss() {
    return !losses.isEmpty();
  }

  /** The first unreported loss; null if there is none. */
  @Nullable Neighbour firstLoss() {
    return losses.peek();
  }

  /** Removes the first loss, as it is being reported. */
  void removeLoss() {
    losses.remove();
  }

  // ---- the end

  /** Announces that this rank leaves, and drops frames sent to it. Wakes no rank after that. */
  void leave(Inbox inbox) throws IOException {
    for (Neighbour n : all) {
      if (n.incoming == null && (inbox.state(n.rank) & Inbox.RING) != 0) {
        files.delete(NodeFiles.ringName(n.name, self));
      }
      Inbox theirs = n.inbox;
      if (theirs != null) {
        theirs.publish(self, (outgoing[n.rank] == null ? 0 : Inbox.RING) | Inbox.LEFT);
        wakeIfPermitted(theirs);
      }
    }
    if (rope != null) {
      rope.close();
    }
  }

  /** Drops references to memory that is about to be unmapped. */
  void forget() {
    Arrays.fill(outgoing, null);
    all.clear();
  }
}
