package org.fmi.core.p2p;

import org.fmi.FmiException;

/**
 * The epoch of a rank's messages: its number, whether and why it is over, and the first epoch whose
 * requests are still valid. Calls check it before they do anything.
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

  /** The newest epoch that is over, and the reason. Written under the lock of this object. */
  private volatile int revoked = NONE;

  private volatile String reason = "no epoch was entered yet";

  /** The state before the first epoch: each call throws. */
  Epoch(OneThread thread, OnRevoked onRevoked) {
    this.thread = thread;
    this.onRevoked = onRevoked;
  }

  /**
   * Begins an epoch.
   *
   * @param next its number
   * @param voids whether earlier requests become void
   * @throws IllegalArgumentException if the epoch is not newer than the previous one
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
   * Ends an epoch, even one that this rank has not entered. Ignores an epoch that is over. Any
   * thread.
   *
   * @return false if it was over already
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

  /** Ends the last epoch: each call throws {@link IllegalStateException}. */
  void close() {
    closed = true;
  }

  /** The number of the current epoch; -1 before the first. */
  int number() {
    return number;
  }

  /** The epoch in which requests became void last. Requests made before it are refused. */
  int since() {
    return since;
  }

  /** Whether the current epoch is over. */
  boolean isRevoked() {
    return revoked >= number;
  }

  /**
   * Throws if the epoch is over, unless a newer one is entered, or if called by a second thread.
   */
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
   * @param madeSince the value of {@link #since} when the request was made
   * @throws FmiException if the request is void
   */
  void check(int madeSince) {
    check();
    if (madeSince != since) {
      throw MessageRequest.refusal(madeSince, since);
    }
  }
}
