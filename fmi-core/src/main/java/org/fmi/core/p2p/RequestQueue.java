package org.fmi.core.p2p;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Requests in the order they were added, linked through {@link MessageRequest#next}. */
final class RequestQueue {
  private @Nullable MessageRequest first;
  private @Nullable MessageRequest last;

  boolean isEmpty() {
    return first == null;
  }

  @Nullable MessageRequest first() {
    return first;
  }

  void add(MessageRequest r) {
    r.next = null;
    if (last == null) {
      first = r;
    } else {
      last.next = r;
    }
    last = r;
  }

  /** Removes a request; returns whether it was there. */
  boolean remove(MessageRequest r) {
    MessageRequest before = null;
    MessageRequest at = first;
    while (at != null && at != r) {
      before = at;
      at = at.next;
    }
    if (at == null) {
      return false;
    }
    if (before == null) {
      first = r.next;
    } else {
      before.next = r.next;
    }
    if (last == r) {
      last = before;
    }
    r.next = null;
    return true;
  }

  /** Puts another request in the place of each one, or the same again; null removes it. */
  void replaceAll(UnaryOperator<@Nullable MessageRequest> by) {
    MessageRequest r = first;
    first = null;
    last = null;
    while (r != null) {
      MessageRequest following = r.next;
      r.next = null;
      MessageRequest other = by.apply(r);
      if (other != null) {
        add(other);
      }
      r = following;
    }
  }

  /** Passes on each request. */
  void forEach(Consumer<MessageRequest> each) {
    for (MessageRequest r = first; r != null; r = r.next) {
      each.accept(r);
    }
  }

  /** Removes each request, and passes it on. */
  void drain(Consumer<MessageRequest> each) {
    for (MessageRequest r = first; r != null; r = first) {
      removeFirst();
      each.accept(r);
    }
  }

  void removeFirst() {
    MessageRequest r = first;
    if (r != null) {
      first = r.next;
      r.next = null;
      if (first == null) {
        last = null;
      }
    }
  }
}
