package org.fmi.core.p2p;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A table of links in first-in-first-out order by (context, source, tag), where a wildcard is an
 * ordinary value. Each operation takes constant time and, in the steady state, allocates nothing.
 */
final class MatchTable {
  /** An element of the table's queues. */
  abstract static class Queued {
    private @Nullable Queued previous;
    private @Nullable Queued next;
    private @Nullable Bucket bucket;
  }

  /** A queue; exists while it is not empty. */
  private static final class Bucket {
    int context;
    int source;
    int tag;
    @Nullable Queued first;
    @Nullable Queued last;

    /** The next bucket of the same hash slot, or of the free list. */
    @Nullable Bucket chained;
  }

  private @Nullable Bucket[] slots = new Bucket[64];
  private int buckets;
  private @Nullable Bucket free;

  /** The oldest link of this key; null if there is none. */
  @Nullable Queued first(int context, int source, int tag) {
    Bucket b = find(context, source, tag);
    return b == null ? null : b.first;
  }

  /** Appends a link, which is in no queue, to the queue of this key. */
  void append(int context, int source, int tag, Queued link) {
    Bucket b = find(context, source, tag);
    if (b == null) {
      b = create(context, source, tag);
    }
    assert link.bucket == null : "it stands in another queue";
    Queued last = b.last;
    link.bucket = b;
    link.previous = last;
    link.next = null;
    if (last == null) {
      b.first = link;
    } else {
      last.next = link;
    }
    b.last = link;
  }

  /** Visits all links; the links of a key in order. */
  void forEach(Consumer<Queued> each) {
    for (Bucket slot : slots) {
      for (Bucket b = slot; b != null; b = b.chained) {
        for (Queued q = b.first; q != null; q = q.next) {
          each.accept(q);
        }
      }
    }
  }

  /** Removes a link from its queue. */
  void remove(Queued link) {
    Bucket b = link.bucket;
    if (b == null) {
      throw new IllegalStateException("the link is in no queue");
    }
    Queued previous = link.previous;
    Queued next = link.next;
    if (previous == null) {
      b.first = next;
    } else {
      previous.next = next;
    }
    if (next == null) {
      b.last = previous;
    } else {
      next.previous = previous;
    }
    link.bucket = null;
    link.previous = null;
    link.next = null;
    if (b.first == null) {
      delete(b);
    }
  }

  private @Nullable Bucket find(int context, int source, int tag) {
    Bucket b = slots[slot(context, source, tag)];
    while (b != null && (b.tag != tag || b.source != source || b.context != context)) {
      b = b.chained;
    }
    return b;
  }

  private Bucket create(int context, int source, int tag) {
    if (buckets == slots.length) {
      grow();
    }
    Bucket b = free;
    if (b == null) {
      b = new Bucket();
    } else {
      free = b.chained;
    }
    b.context = context;
    b.source = source;
    b.tag = tag;
    insert(b);
    buckets++;
    return b;
  }

  private void insert(Bucket b) {
    int slot = slot(b.context, b.source, b.tag);
    b.chained = slots[slot];
    slots[slot] = b;
  }

  private void delete(Bucket dead) {
    int slot = slot(dead.context, dead.source, dead.tag);
    Bucket b = slots[slot];
    if (b == dead) {
      slots[slot] = dead.chained;
    } else {
      while (b != null && b.chained != dead) {
        b = b.chained;
      }
      if (b != null) {
        b.chained = dead.chained;
      }
    }
    dead.chained = free;
    free = dead;
    buckets--;
    assert buckets >= 0 : "more queues ended than began";
  }

  private void grow() {
    @Nullable Bucket[] old = slots;
    slots = new Bucket[old.length * 2];
    for (Bucket b : old) {
      while (b != null) {
        Bucket next = b.chained;
        insert(b);
        b = next;
      }
    }
  }

  private int slot(int context, int source, int tag) {
    long h = ((context * 31L + source) * 0x9E3779B97F4A7C15L + tag) * 0x9E3779B97F4A7C15L;
    return (int) (h >>> 32) & (slots.length - 1);
  }
}
