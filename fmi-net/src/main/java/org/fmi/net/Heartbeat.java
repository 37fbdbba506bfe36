package org.fmi.net;

import java.util.function.BooleanSupplier;

/**
 * Tells when a peer has been silent for too long, on a clock that its owner reads. It suspects its
 * own process first: time in which that was late itself (starved) counts for nobody, and after much
 * of it (stopped) the peer's time starts again. Then it suspects the machine: a peer that is seen
 * to wait for a core is not dead.
 */
public final class Heartbeat {
  /** How long a peer may be silent that is starved, in timeouts. */
  static final int PATIENCE = 12;

  private final long timeout;
  private long heardAt;
  private long next;

  /** The peer is heard of just now. */
  public Heartbeat(long timeoutNanos, long now) {
    timeout = timeoutNanos;
    heardAt = now;
    next = now + pause();
  }

  /** How long after now, and after each call of {@link #silence}, it is to be called again. */
  public long pause() {
    return timeout / 4;
  }

  /** Something has come from the peer. */
  public void heard(long now) {
    heardAt = now;
  }

  /**
   * How long the peer has been silent, if that is too long.
   *
   * @return nanoseconds; 0 if it is not
   */
  public long silence(long now) {
    return silence(now, () -> false);
  }

  /**
   * The same.
   *
   * @param starved tells whether the peer is kept from speaking: it runs, or waits for a core.
   *     Asked at each look from half of the timeout on, so that it can compare
   */
  long silence(long now, BooleanSupplier starved) {
    long late = now - next;
    if (late > timeout / 2) {
      heardAt = now;
    } else if (late > 0) {
      heardAt += Math.min(late, now - heardAt);
    }
    next = now + pause();
    long silent = now - heardAt;
    boolean excused =
        silent > timeout / 2 && silent <= PATIENCE * timeout && starved.getAsBoolean();
    return silent <= timeout || excused ? 0 : silent;
  }
}
