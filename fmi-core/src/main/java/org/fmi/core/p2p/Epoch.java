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
  private final Runnable onNews;
  private int number = NONE;
  private int since = NONE;
  private boolean closed;

  /** The newest epoch that is over, and the reason. Written under the lock of this object. */
  private volatile int revoked = NONE;

  /** Whether there is news that the next call attends to. Guarded by this object. */
  private boolean news;

  /** The newest epoch in which calls stop: {@link #revoked}, or any while there is news. */
  private volatile int stops = NONE;

  private volatile String reason = "no epoch was entered yet";

  /** The state before the first epoch: each call throws. */
  Epoch(OneThread thread, OnRevoked onRevoked, Runnable onNews) {
    this.thread = thread;
    this.onRevoked = onRevoked;
    this.onNews = onNews;
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
      stops = news ? Integer.MAX_VALUE : ended;
      return true;
    }
  }

  /** Lets the next call, or one that waits, attend to news. Any thread. */
  void news() {
    synchronized (this) {
      news = true;
      stops = Integer.MAX_VALUE;
    }
  }

  private boolean takeNews() {
    synchronized (this) {
      boolean was = news;
      news = false;
      stops = revoked;
      return was;
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
    while (stops >= number) {
      stop();
    }
  }

  private void stop() {
    if (takeNews()) {
      onNews.run();
      return;
    }
    if (closed) {
      throw Messenger.afterClose();
    }
    onRevoked.revoked(number, reason);
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
