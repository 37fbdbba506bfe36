package org.fmi.core.p2p;

/**
 * Detached sends to one peer that wait for eager credit: whether the peer knows of them, and how
 * many of them it has asked to announce.
 */
final class HeldSends {
  private boolean notified;
  private int announceable;
  private int next = FlowLimits.ANNOUNCED_WITHOUT_CREDIT;

  /** Whether the peer has not been notified yet that sends wait for its credit. */
  boolean mustNotify() {
    return !notified;
  }

  void notified() {
    notified = true;
  }

  boolean mayAnnounce() {
    return announceable > 0;
  }

  /** Counts an announcement. */
  void announced() {
    announceable--;
    assert announceable >= 0 : "more was announced than may be";
  }

  /** Handles credit from the peer. */
  void onCredit() {
    notified = false;
    announceable = 0;
    next = FlowLimits.ANNOUNCED_WITHOUT_CREDIT;
  }

  /**
   * Handles a request from the peer. Each request without credit in between doubles the number of
   * announcements.
   */
  void onAnnounce() {
    notified = false;
    announceable = next;
    next = Math.min(2 * next, FlowLimits.MOST_ANNOUNCED_WITHOUT_CREDIT);
  }
}
