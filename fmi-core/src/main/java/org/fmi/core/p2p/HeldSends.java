package org.fmi.core.p2p;

/**
 * Sends to one peer that nobody waits for, and that wait for eager credit: what the peer knows of
 * them, and how many may be announced instead, as it has asked for that.
 */
final class HeldSends {
  private boolean told;
  private int announceable;
  private int next = FlowLimits.ANNOUNCED_WITHOUT_CREDIT;

  /** Whether the peer does not know yet that something waits for its credit. */
  boolean isToBeTold() {
    return !told;
  }

  void told() {
    told = true;
  }

  boolean mayAnnounce() {
    return announceable > 0;
  }

  /** One was announced. */
  void announced() {
    announceable--;
    assert announceable >= 0 : "more was announced than may be";
  }

  /** The peer gives credit. */
  void onCredit() {
    told = false;
    announceable = 0;
    next = FlowLimits.ANNOUNCED_WITHOUT_CREDIT;
  }

  /** The peer asks. Each time it does without giving credit, it gets twice as many. */
  void onAnnounce() {
    told = false;
    announceable = next;
    next = Math.min(2 * next, FlowLimits.MOST_ANNOUNCED_WITHOUT_CREDIT);
  }
}
