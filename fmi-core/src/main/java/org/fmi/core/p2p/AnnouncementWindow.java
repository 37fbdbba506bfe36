package org.fmi.core.p2p;

/** The unmatched announcements of one peer, and their limit. */
final class AnnouncementWindow {
  private int waiting;
  private long limit = FlowLimits.ANNOUNCEMENTS;

  /** The raise of the limit not yet sent to the peer. */
  private long newlyAllowed;

  /** Counts one more; returns whether the peer may make no more. */
  boolean added() {
    waiting++;
    assert waiting <= limit : "the peer announces more than it may";
    return waiting == limit;
  }

  /** Counts one less; returns whether the limit had been reached. */
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

  /** Notes that the new limit was sent to the peer. */
  void limitSent() {
    newlyAllowed = 0;
  }
}
