package org.fmi.core.log;

import org.fmi.core.p2p.Ledger;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.UnexpectedMessage;
import org.jspecify.annotations.Nullable;

/**
 * Data that {@link MessageLedger} attaches to a pending request, or to a message that no receive
 * has matched.
 */
final class TrackedMessage implements Ledger.Tracked {
  /**
   * The message's number in the {@link MessageLog}, or NO_NUMBER: of a receive once it has matched;
   * of a synchronous send.
   */
  int number = MessageLog.NO_NUMBER;

  /**
   * Of a send: the determinants that its receiver must have first, as {@link
   * UnstableDeterminants#changes}.
   */
  long depends;

  /** Of a receive of the program: its number in the {@link Determinants}. */
  long posted;

  /** Set if the message crosses a recovery line and its data is awaited. */
  InTransitMessages.@Nullable Crossing crossing;

  /** The next free instance in the pool. */
  private @Nullable TrackedMessage next;

  @Override
  public void reset() {
    number = MessageLog.NO_NUMBER;
    depends = 0;
    posted = 0;
    crossing = null;
  }

  /** The number of a request's message; NO_NUMBER if it has none. */
  static int numberOf(MessageRequest r) {
    return r.tracked() instanceof TrackedMessage known ? known.number : MessageLog.NO_NUMBER;
  }

  /** The instances of a rank, which are reused so that a message allocates none. */
  static final class Pool {
    private @Nullable TrackedMessage free;

    private TrackedMessage take() {
      TrackedMessage t = free;
      if (t == null) {
        return new TrackedMessage();
      }
      free = t.next;
      t.next = null;
      t.reset();
      return t;
    }

    private void give(TrackedMessage t) {
      t.next = free;
      free = t;
    }

    TrackedMessage of(MessageRequest r) {
      if (r.tracked() instanceof TrackedMessage known) {
        return known;
      }
      TrackedMessage t = take();
      r.track(t);
      return t;
    }

    TrackedMessage of(UnexpectedMessage m) {
      if (m.tracked() instanceof TrackedMessage known) {
        return known;
      }
      TrackedMessage t = take();
      m.track(t);
      return t;
    }

    /** Detaches and frees the data of a request. */
    void forget(MessageRequest r) {
      if (r.tracked() instanceof TrackedMessage known) {
        r.track(null);
        give(known);
      }
    }

    /** Detaches and frees the data of a message. */
    void forget(UnexpectedMessage m) {
      if (m.tracked() instanceof TrackedMessage known) {
        m.track(null);
        give(known);
      }
    }
  }
}
