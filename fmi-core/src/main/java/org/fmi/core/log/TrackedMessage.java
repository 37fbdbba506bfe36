package org.fmi.core.log;

import org.fmi.core.p2p.Ledger;
import org.fmi.core.p2p.MessageRequest;
import org.fmi.core.p2p.UnexpectedMessage;
import org.jspecify.annotations.Nullable;

/**
 * What {@link MessageLedger} remembers of a request that is under way, or of a message that no
 * receive has matched.
 */
final class TrackedMessage implements Ledger.Tracked {
  /**
   * The number of its message in the {@link MessageLog}, or NO_NUMBER: of a receive once it has
   * matched; of a synchronous send.
   */
  int number = MessageLog.NO_NUMBER;

  /**
   * A send: the determinants that its peer must have first: {@link UnstableDeterminants#changes}.
   */
  long depends;

  /** A receive of the program: its number in the {@link Determinants}. */
  long posted;

  /** What else waits for its data, as the message crosses a recovery line. */
  InTransitMessages.@Nullable Crossing crossing;

  /** The next one that is free. */
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

  /** Those of a rank. They are used again, so that a message makes none. */
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

    /** Nothing need be remembered of a request any more. */
    void forget(MessageRequest r) {
      if (r.tracked() instanceof TrackedMessage known) {
        r.track(null);
        give(known);
      }
    }

    /** Nothing need be remembered of a message any more. */
    void forget(UnexpectedMessage m) {
      if (m.tracked() instanceof TrackedMessage known) {
        m.track(null);
        give(known);
      }
    }
  }
}
