package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.fmi.spi.FrameHandler;
import org.fmi.verbs.Verbs;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Takes the device's completions: delivers received frames, reclaims buffers of sent ones, and
 * sends grants to peers.
 */
final class Completions {
  private final Verbs verbs;
  private final Links links;
  private final ReceivePool receives;
  private final Reads reads;

  /** The number of fetched completions, and of those taken. */
  private int fetched;

  private int taken;

  /** Links with grants that their peers do not know yet. */
  private final ArrayList<Link> unsent = new ArrayList<>();

  Completions(Verbs verbs, Links links, ReceivePool receives, Reads reads) {
    this.verbs = verbs;
    this.links = links;
    this.receives = receives;
    this.reads = reads;
  }

  /** Whether fetched completions are left to take. */
  boolean any() {
    return taken < fetched;
  }

  /**
   * Takes completions, until there are none or this many batches have been fetched.
   *
   * @return the number taken
   */
  int takeAll(FrameHandler handler, int batches) throws IOException {
    int work = 0;
    for (int i = 0; ; i++) {
      while (taken < fetched) {
        work++;
        // Counted before: a handler that throws does not get it again.
        take(taken++, handler);
      }
      if (i == batches || !fetch()) {
        return work;
      }
    }
  }

  /** Fetches the next batch; returns whether there is one. */
  boolean fetch() throws IOException {
    taken = 0;
    fetched = 0;
    fetched = verbs.poll();
    return fetched > 0;
  }

  private void take(int i, @Nullable FrameHandler handler) throws IOException {
    long id = verbs.id(i);
    if (id < 0) {
      arrived(i, ReceivePool.buffer(id), handler);
      return;
    }
    Link link = links.get(Link.peer(id));
    if (link == null) {
      return;
    }
    boolean succeeded = verbs.succeeded(i);
    Read read = link.completed(id, succeeded);
    if (!succeeded) {
      lose(link, "not sent: " + verbs.failure(i));
    } else if (link.state == Link.State.OPEN && handler != null) {
      ask(link);
      if (read != null) {
        reads.finish(read);
        handler.onRead(link.peer, read.id, true);
      }
    }
  }

  /** Loses a link. If the device has failed, that is the reason, for all other links too. */
  private void lose(Link link, String reason) throws IOException {
    links.loseAll();
    links.lose(link, reason);
  }

  private void ask(Link link) {
    try {
      link.ask();
    } catch (IOException e) {
      links.lose(link, String.valueOf(e.getMessage()));
    }
  }

  private void arrived(int i, int buffer, @Nullable FrameHandler handler) throws IOException {
    Link link = links.byNumber(verbs.connection(i));
    if (!verbs.succeeded(i)) {
      receives.post(buffer);
      if (link != null) {
        lose(link, "not received: " + verbs.failure(i));
      }
      return;
    }
    if (link == null || link.mute || handler == null) {
      receives.post(buffer);
      return;
    }
    if (link.state == Link.State.ACCEPTED) {
      // Its first frame was faster than the connection manager.
      links.opened(link);
    }
    link.allow(verbs.immediate(i));
    int bytes = verbs.bytes(i);
    if (bytes == 0) {
      receives.post(buffer);
      return;
    }
    deliver(link, buffer, bytes, handler);
    sendGrants(link);
  }

  private void deliver(Link link, int buffer, int bytes, FrameHandler handler) throws IOException {
    MemorySegment memory = receives.memory(buffer);
    long at = receives.offset(buffer);
    try {
      if (bytes < FrameLayout.HEADER_BYTES
          || memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD)
              != bytes - FrameLayout.HEADER_BYTES) {
        link.mute = true;
        links.lose(link, "a frame of " + bytes + " bytes does not fit its header");
      } else {
        handler.onFrame(link.peer, memory, at);
      }
    } finally {
      receives.post(buffer);
      link.arrived();
    }
  }

  private void sendGrants(Link link) {
    try {
      if (link.state == Link.State.OPEN && !link.sendGrants() && !link.grantsUnsent) {
        link.grantsUnsent = true;
        unsent.add(link);
      }
    } catch (IOException e) {
      links.lose(link, String.valueOf(e.getMessage()));
    }
  }

  /** Sends the grants for which there was no room before. */
  void sendUnsentGrants() {
    if (unsent.isEmpty()) {
      return;
    }
    Link[] all = unsent.toArray(Link[]::new);
    unsent.clear();
    for (Link link : all) {
      link.grantsUnsent = false;
      sendGrants(link);
    }
  }

  /** Takes all completions; drops received frames. */
  void takeRest() throws IOException {
    do {
      while (taken < fetched) {
        take(taken++, null);
      }
    } while (fetch());
  }
}
