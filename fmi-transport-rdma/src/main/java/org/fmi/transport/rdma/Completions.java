package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.fmi.spi.FrameHandler;
import org.fmi.verbs.Verbs;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/**
 * Takes the device's completions: hands on what has arrived, gives back what was sent, and tells
 * the peers what they may send.
 */
final class Completions {
  private final Verbs verbs;
  private final Links links;
  private final ReceivePool receives;
  private final Reads reads;

  /** Completions fetched, and how many of them were taken. */
  private int fetched;

  private int taken;

  /** Connections whose peers do not know yet what was granted. */
  private final ArrayList<Link> untold = new ArrayList<>();

  Completions(Verbs verbs, Links links, ReceivePool receives, Reads reads) {
    this.verbs = verbs;
    this.links = links;
    this.receives = receives;
    this.reads = reads;
  }

  /** Whether some were fetched and not taken yet. */
  boolean any() {
    return taken < fetched;
  }

  /**
   * Takes completions, until there are none or this many batches have been fetched.
   *
   * @return how many were taken
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

  /** Fetches the next batch. Returns whether there is one. */
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

  /** If it is the device that has failed, that is the reason, and those of all others. */
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
    tell(link);
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

  private void tell(Link link) {
    try {
      if (link.state == Link.State.OPEN && !link.tell() && !link.untold) {
        link.untold = true;
        untold.add(link);
      }
    } catch (IOException e) {
      links.lose(link, String.valueOf(e.getMessage()));
    }
  }

  /** Tells those grants for which there was no room before. */
  void tellUntold() {
    if (untold.isEmpty()) {
      return;
    }
    Link[] all = untold.toArray(Link[]::new);
    untold.clear();
    for (Link link : all) {
      link.untold = false;
      tell(link);
    }
  }

  /** Takes completions; what arrives is dropped. */
  void takeRest() throws IOException {
    do {
      while (taken < fetched) {
        take(taken++, null);
      }
    } while (fetch());
  }
}
