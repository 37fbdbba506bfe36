package org.fmi.net;

/**
 * Tells when a peer has been silent for too long, on a clock that its owner reads. It suspects its
 * own process first: if that was late itself (stopped, starved), the peer's time starts again.
 */
public final class Heartbeat {
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
    if (now - next > timeout / 2) {
      heardAt = now;
    }
    next = now + pause();
    return now - heardAt > timeout ? now - heardAt : 0;
  }
}
