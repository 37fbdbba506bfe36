package org.fmi.core.p2p;

import org.fmi.FmiException;

/**
 * The epoch that a rank's messages belong to: its number, whether it is over and why, and since
 * when requests count. Calls check it before they do anything.
 *
 * <p>Used by the application's thread; {@link #revoke} may be called by any.
 */
final class Epoch {
  private static final int NONE = -1;

  /** Notified by a call that finds the epoch over. */
  interface OnRevoked {
    /** Throws, or enters a newer epoch and returns. */
    void revoked(int number, String reason);
  }

  private final OneThread thread;
  private final OnRevoked onRevoked;
  private int number = NONE;
  private int since = NONE;
  private boolean closed;

  /** The newest epoch that is over, and why. Written under the lock of this object. */
  private volatile int revoked = NONE;

  private volatile String reason = "no epoch was entered yet";

  /** No epoch has begun yet: each call throws. */
  Epoch(OneThread thread, OnRevoked onRevoked) {
    this.thread = thread;
    this.onRevoked = onRevoked;
  }

  /**
   * Begins an epoch.
   *
   * @param next its number
   * @param voids whether requests that were made before are void
   * @throws IllegalArgumentException if the epoch is not newer than the one before
   */
  void begin(int next, boolean voids) {
    if (next <= number) {
      throw new IllegalArgumentException("epoch " + next + " does not follow epoch " + number);
    }
    assert !closed : "an epoch begins after the end";
    number = next;
    if (voids) {
      since = next;
    }
  }

  /**
   * Ends an epoch, also one that is not entered yet; one that is over is ignored. Any thread.
   *
   * @return whether it was not over
   */
  boolean revoke(int ended, String why) {
    synchronized (this) {
      if (ended <= revoked) {
        return false;
      }
      reason = why;
      revoked = ended;
      return true;
    }
  }

  /** The last epoch is over: each call throws {@link IllegalStateException}. */
  void close() {
    closed = true;
  }

  /** The number of the current epoch; -1 before the first. */
  int number() {
    return number;
  }

  /** The epoch in which requests became void last: those made earlier are refused. */
  int since() {
    return since;
  }

  /** Whether the current epoch is over. */
  boolean isRevoked() {
    return revoked >= number;
  }

  /** Throws if the epoch is over, unless a newer one is entered; or at a second thread. */
  void check() {
    thread.require();
    while (revoked >= number) {
      if (closed) {
        throw Messenger.afterClose();
      }
      onRevoked.revoked(number, reason);
    }
  }

  /**
   * Checks a call on a request.
   *
   * @param madeSince what {@link #since} was when the request was made
   * @throws FmiException if the request is void
   */
  void check(int madeSince) {
    check();
    if (madeSince != since) {
      throw MessageRequest.refusal(madeSince, since);
    }
  }
}
