package org.fmi.core.p2p;

import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** The peers that have something to send, which take turns to send it. */
final class SendList {
  private final MessengerListener listener;

  /** The peers, in the first {@link #count} elements. */
  private @Nullable Peer[] unsent;

  private int count;

  SendList(int size, MessengerListener listener) {
    this.listener = listener;
    unsent = new Peer[size];
  }

  /** Begins an epoch. */
  void reset() {
    unsent = new Peer[unsent.length];
    count = 0;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Notes that a peer has something to send. */
  void add(Peer p) {
    if (!p.listed) {
      p.listed = true;
      assert count < unsent.length : "a peer is listed twice";
      unsent[count++] = p;
    }
  }

  /** Removes a peer that nothing is sent to any more. */
  void remove(Peer p) {
    if (p.listed) {
      p.listed = false;
      int kept = 0;
      for (int i = 0; i < count; i++) {
        Peer each = unsent[i];
        if (each != p) {
          unsent[kept++] = each;
        }
      }
      keep(kept, count);
    }
  }

  /**
   * Sends as much as the transports take.
   *
   * @return the amount of work done
   */
  int flush() {
    int frames = 0;
    int kept = 0;
    int next = 0;
    try {
      while (next < count) {
        Peer p = unsent[next];
        if (p != null) {
          frames += p.flush();
          if (p.unsent()) {
            unsent[kept++] = p;
          } else {
            p.listed = false;
          }
        }
        next++;
      }
    } catch (UncheckedIOException e) {
      throw listener.refused(e);
    } finally {
      keep(kept, next);
    }
    return frames;
  }

  /**
   * Compacts the list after a peer has thrown: the first {@code kept} peers and those from {@code
   * next} on stay.
   */
  private void keep(int kept, int next) {
    assert kept <= next : "more peers are kept than were looked at";
    int n = kept;
    for (int i = next; i < count; i++) {
      unsent[n++] = unsent[i];
    }
    for (int i = n; i < count; i++) {
      unsent[i] = null;
    }
    count = n;
  }
}
