package org.fmi.net;

import java.util.function.BooleanSupplier;

/**
 * Detects that a peer has been silent for too long, on a clock that its owner reads. It suspects
 * its own process first: time in which the owner was late (starved) does not count, and after a
 * long delay (stopped) the peer's time restarts. Then it suspects the machine: a peer known to wait
 * for a core is not dead.
 */
public final class Heartbeat {
  /** The longest silence of a starved peer, in timeouts. */
  static final int PATIENCE = 12;

  private final long timeout;
  private final long pause;
  private long receivedAt;
  private long next;

  /** A heartbeat that starts as if data had just arrived from the peer. */
  public Heartbeat(long timeoutNanos, long now) {
    this(timeoutNanos, timeoutNanos / 4, now);
  }

  /** A heartbeat with this pause between two looks, at most half of the timeout. */
  public Heartbeat(long timeoutNanos, long pauseNanos, long now) {
    timeout = timeoutNanos;
    pause = pauseNanos;
    receivedAt = now;
    next = now + pause;
  }

  /** The time from now, and from each call of {@link #silence}, to its next call. */
  public long pause() {
    return pause;
  }

  /** Notes that something has arrived from the peer. */
  public void received(long now) {
    receivedAt = now;
  }

  /**
   * The duration of the peer's silence, if it is too long.
   *
   * @return nanoseconds; 0 if it is not too long
   */
  public long silence(long now) {
    return silence(now, () -> false);
  }

  /**
   * The duration of the peer's silence, if it is too long.
   *
   * @param starved whether the peer cannot send because it runs or waits for a core. Called at each
   *     look from half of the timeout on, so that it can compare
   */
  long silence(long now, BooleanSupplier starved) {
    long late = now - next;
    if (late > timeout / 2) {
      receivedAt = now;
    } else if (late > 0) {
      receivedAt += Math.min(late, now - receivedAt);
    }
    next = now + pause();
    long silent = now - receivedAt;
    boolean excused =
        silent > timeout / 2 && silent <= PATIENCE * timeout && starved.getAsBoolean();
    return silent <= timeout || excused ? 0 : silent;
  }
}
