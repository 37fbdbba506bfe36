package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The unmatched messages. A receive takes the oldest one that matches it.
 *
 * <p>Each message is in one queue per kind of {@link Pattern}, so that the head of a pattern's
 * queue is the answer. Queues of a wildcard kind exist only after a receive of that kind. A message
 * that a probe has matched ({@link UnexpectedMessage#claimedBy}) is in none of them: it waits for
 * its receive's buffer, among the others in the order of arrival.
 */
final class UnexpectedQueue {
  private final MatchTable table = new MatchTable();
  private int indexedKinds = 1 << Pattern.EXACT;

  private @Nullable UnexpectedMessage oldest;
  private @Nullable UnexpectedMessage newest;
  private int count;
  private long heldBytes;

  int count() {
    return count;
  }

  /** The memory of all messages' data. */
  long heldBytes() {
    return heldBytes;
  }

  /** The oldest message; {@link UnexpectedMessage#next} leads to the later ones. */
  @Nullable UnexpectedMessage oldest() {
    return oldest;
  }

  void add(UnexpectedMessage m) {
    UnexpectedMessage last = newest;
    m.previous = last;
    m.next = null;
    if (last == null) {
      oldest = m;
    } else {
      last.next = m;
    }
    newest = m;
    count++;
    heldBytes += m.data.byteSize();
    if (m.claimedBy != null) {
      return;
    }
    for (int kind = 0; kind < Pattern.KINDS; kind++) {
      if ((indexedKinds & 1 << kind) != 0) {
        index(m, kind);
      }
    }
  }

  /** Takes a message out of matching, for a receive. It stays among those that wait. */
  void claim(UnexpectedMessage m, MessageRequest by) {
    unindex(m);
    m.claimedBy = by;
  }

  /** The oldest message that matches a receive, left in the queue; null if there is none. */
  @Nullable UnexpectedMessage first(int context, int wantedSource, long wantedTag) {
    if (count == 0) {
      return null;
    }
    int kind = Pattern.kind(context, wantedSource, wantedTag);
    if ((indexedKinds & 1 << kind) == 0) {
      indexedKinds |= 1 << kind;
      for (UnexpectedMessage m = oldest; m != null; m = m.next) {
        if (m.claimedBy == null) {
          index(m, kind);
        }
      }
    }
    UnexpectedMessage.Entry e =
        (UnexpectedMessage.Entry)
            table.first(context, wantedSource, Pattern.key(context, wantedTag));
    return e == null ? null : e.message;
  }

  /** Sets the data of a message in this queue that has been fetched. */
  void hold(UnexpectedMessage m, MemorySegment data) {
    m.place = UnexpectedMessage.Place.HELD;
    m.data = data;
    heldBytes += data.byteSize();
  }

  void remove(UnexpectedMessage m) {
    UnexpectedMessage previous = m.previous;
    UnexpectedMessage next = m.next;
    if (previous == null) {
      oldest = next;
    } else {
      previous.next = next;
    }
    if (next == null) {
      newest = previous;
    } else {
      next.previous = previous;
    }
    m.previous = null;
    m.next = null;
    count--;
    heldBytes -= m.data.byteSize();
    assert count >= 0 && heldBytes >= 0 && count > 0 == (oldest != null)
        : "messages are miscounted";
    if (m.claimedBy == null) {
      unindex(m);
    }
  }

  private void unindex(UnexpectedMessage m) {
    for (int kind = 0; kind < Pattern.KINDS; kind++) {
      if ((indexedKinds & 1 << kind) != 0) {
        table.remove(m.entries[kind]);
      }
    }
  }

  private void index(UnexpectedMessage m, int kind) {
    table.append(
        m.context,
        Pattern.source(kind, m.source),
        Pattern.tag(kind, Pattern.key(m.context, m.tag)),
        m.entries[kind]);
  }
}
