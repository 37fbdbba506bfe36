package org.fmi.core.p2p;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The unmatched receives. A message takes the oldest one that matches it. */
final class PostedQueue {
  private final MatchTable table = new MatchTable();
  private final int[] ofKind = new int[Pattern.KINDS];

  /** The only receive, stored outside of the table: the usual case of a blocking receive. */
  private @Nullable MessageRequest lone;

  private int count;
  private long clock;

  int count() {
    return count;
  }

  /**
   * Assigns a receive its place in the order of all receives; {@link #add} or its message follows.
   */
  void stamp(MessageRequest receive) {
    receive.posting = clock++;
  }

  /** All receives, in the order posted. */
  List<MessageRequest> all() {
    List<MessageRequest> all = new ArrayList<>();
    if (lone != null) {
      all.add(lone);
    }
    table.forEach(r -> all.add((MessageRequest) r));
    all.sort(Comparator.comparingLong(r -> r.posting));
    return all;
  }

  void add(MessageRequest receive) {
    if (count++ == 0) {
      lone = receive;
      return;
    }
    if (lone != null) {
      index(lone);
      lone = null;
    }
    index(receive);
  }

  /** Removes the oldest receive that matches this message; null if there is none. */
  @Nullable MessageRequest take(int context, int source, long tag) {
    if (count == 0) {
      return null;
    }
    MessageRequest only = lone;
    if (only == null) {
      MessageRequest oldest = oldest(context, source, tag);
      if (oldest != null) {
        remove(oldest);
      }
      return oldest;
    }
    if (!Pattern.matches(only.context, only.peer, only.tag, context, source, tag)) {
      return null;
    }
    lone = null;
    count = 0;
    return only;
  }

  /** Whether a receive matches this message. */
  boolean wants(int context, int source, long tag) {
    MessageRequest only = lone;
    return only == null
        ? count > 0 && oldest(context, source, tag) != null
        : Pattern.matches(only.context, only.peer, only.tag, context, source, tag);
  }

  /** Removes a receive. */
  void remove(MessageRequest receive) {
    count--;
    assert count >= 0 : "more receives were taken out than posted";
    if (lone == receive) {
      lone = null;
    } else {
      unindex(receive);
    }
  }

  /** The oldest receive in the table that matches this message. */
  private @Nullable MessageRequest oldest(int context, int source, long tag) {
    int key = Pattern.key(context, tag);
    MessageRequest oldest = null;
    for (int kind = 0; kind < Pattern.KINDS; kind++) {
      if (ofKind[kind] > 0) {
        MessageRequest r =
            (MessageRequest)
                table.first(context, Pattern.source(kind, source), Pattern.tag(kind, key));
        if (r != null && (oldest == null || r.posting < oldest.posting)) {
          oldest = r;
        }
      }
    }
    return oldest;
  }

  private void index(MessageRequest r) {
    ofKind[Pattern.kind(r.context, r.peer, r.tag)]++;
    table.append(r.context, r.peer, Pattern.key(r.context, r.tag), r);
  }

  private void unindex(MessageRequest r) {
    ofKind[Pattern.kind(r.context, r.peer, r.tag)]--;
    table.remove(r);
  }
}
