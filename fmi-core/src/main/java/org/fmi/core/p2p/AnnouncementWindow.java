package org.fmi.core.p2p;

/** One peer's announcements that wait here for a receive, and how many it may have. */
final class AnnouncementWindow {
  private int waiting;
  private long limit = FlowLimits.ANNOUNCEMENTS;

  /** How many more it may have since it was told last. */
  private long newlyAllowed;

  /** Counts one that waits; whether the peer may make no more. */
  boolean added() {
    waiting++;
    assert waiting <= limit : "the peer announces more than it may";
    return waiting == limit;
  }

  /** Counts it out; whether it was one too many. */
  boolean removed() {
    assert waiting > 0 : "no announcement waits";
    return waiting-- == limit;
  }

  boolean isFull() {
    return waiting >= limit;
  }

  void widen() {
    limit += FlowLimits.ANNOUNCEMENTS;
    newlyAllowed += FlowLimits.ANNOUNCEMENTS;
  }

  long newlyAllowed() {
    return newlyAllowed;
  }

  /** The peer is told how many more it may have. */
  void told() {
    newlyAllowed = 0;
  }
}
