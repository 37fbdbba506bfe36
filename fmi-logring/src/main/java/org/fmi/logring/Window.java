package org.fmi.logring;

/**
 * The flow control of a link: a receiver has {@link #FRAMES} buffers per neighbour, and a frame
 * must always find one. Each frame carries the total number of buffers granted to the other side
 * since the start of the link; the counts wrap around.
 */
final class Window {
  /** The most frames in flight. */
  static final int FRAMES = 8;

  /** The part of them reserved for notices and goodbyes, not for heartbeats. */
  private static final int KEPT = 2;

  private int sent;
  private int completed;
  private int allowed = FRAMES;
  private int arrived;

  /** The number of frames that may be sent now, with a buffer for each on both sides. */
  int room() {
    return Math.min(allowed - sent, FRAMES - outstanding());
  }

  /** Whether there is room for a heartbeat. */
  boolean hasRoomForBeat() {
    return room() > KEPT;
  }

  /** Counts a frame being sent; returns its place among the send buffers. */
  int send() {
    return Math.floorMod(sent++, FRAMES);
  }

  /** Notes that the oldest outstanding frame has left its buffer. */
  void completed() {
    completed++;
  }

  /** The number of frames that have not left their buffers yet. */
  int outstanding() {
    return sent - completed;
  }

  /** The grant count that the next frame carries. */
  int granted() {
    return arrived + FRAMES;
  }

  /**
   * Notes that a frame has arrived and its buffer is free again.
   *
   * @param grants the grant count that it carried
   */
  void arrived(int grants) {
    arrived++;
    if (grants - allowed > 0) {
      allowed = grants;
    }
  }
}
