package org.fmi.logring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.fmi.verbs.RdmaConnection;
import org.fmi.verbs.Verbs;

/**
 * Sends and receives frames over links, and holds the buffers for both. Used on the links' thread.
 */
final class RdmaFrames {
  private final Verbs verbs;
  private final List<Integer> neighbours;
  private final RdmaLinkTable links;
  private final RingLinks.Handler handler;

  /** Per neighbour a window of receive buffers; then the same for send buffers. */
  private final MemorySegment memory;

  private final int key;

  /**
   * Posts all receive buffers to the device.
   *
   * @param arena closed after the device
   * @throws IOException if the device refuses
   */
  RdmaFrames(
      Verbs verbs,
      Arena arena,
      List<Integer> neighbours,
      RdmaLinkTable links,
      RingLinks.Handler handler)
      throws IOException {
    this.verbs = verbs;
    this.neighbours = neighbours;
    this.links = links;
    this.handler = handler;
    int frames = buffers(neighbours);
    memory = arena.allocate(2L * frames * RingLinks.MAX_FRAME, RingLinks.MAX_FRAME);
    key = verbs.register(memory).key();
    for (int buffer = 0; buffer < frames; buffer++) {
      post(buffer);
    }
  }

  /** The number of receive buffers; there are as many send buffers. */
  static int buffers(List<Integer> neighbours) {
    return Math.max(1, neighbours.size()) * Window.FRAMES;
  }

  private static long offset(int buffer) {
    return (long) buffer * RingLinks.MAX_FRAME;
  }

  /** Posts a receive buffer to the device. */
  private void post(int buffer) throws IOException {
    verbs.postReceive(~(long) buffer, memory.address() + offset(buffer), RingLinks.MAX_FRAME, key);
  }

  /** Sends a frame, or loses the link if it takes none. */
  void send(RdmaLink link, byte[] frame) {
    if (link.window.room() <= 0) {
      links.lose(link, "takes no more frames");
      return;
    }
    int place = neighbours.indexOf(link.peer) * Window.FRAMES + link.window.send();
    long at = offset(neighbours.size() * Window.FRAMES + place);
    MemorySegment.copy(frame, 0, memory, JAVA_BYTE, at, frame.length);
    try {
      link.connection.send(
          link.number,
          memory.address() + at,
          frame.length,
          key,
          link.window.granted(),
          RdmaConnection.SIGNALLED);
      link.wrote = true;
    } catch (IOException e) {
      link.window.completed();
      links.lose(link, String.valueOf(e.getMessage()));
    }
  }

  /** Handles all completions of the device. */
  void takeCompletions() throws IOException {
    for (int n; (n = verbs.poll()) > 0; ) {
      for (int i = 0; i < n; i++) {
        long id = verbs.id(i);
        if (id < 0) {
          arrived(i, (int) ~id);
        } else {
          sent(i, links.sender(id));
        }
      }
    }
  }

  private void sent(int i, RdmaLink link) {
    link.window.completed();
    if (!verbs.succeeded(i)) {
      links.lose(link, "not sent: " + verbs.failure(i));
    }
  }

  private void arrived(int i, int buffer) throws IOException {
    RdmaLink link = links.byNumber(verbs.connection(i));
    if (!verbs.succeeded(i)) {
      post(buffer);
      if (link != null) {
        links.lose(link, "not received: " + verbs.failure(i));
      }
      return;
    }
    byte[] frame = memory.asSlice(offset(buffer), verbs.bytes(i)).toArray(JAVA_BYTE);
    int grants = verbs.immediate(i);
    post(buffer);
    if (link == null || link.state == RdmaLink.State.LOST) {
      return;
    }
    if (link.state == RdmaLink.State.ACCEPTED) {
      links.opened(link); // its first frame was faster than the connection manager
    }
    links.heard(link);
    link.window.arrived(grants);
    if (frame.length > 0 && !handler.onFrame(link.peer, ByteBuffer.wrap(frame))) {
      links.lose(link, "violates the protocol");
    }
  }
}
