package org.fmi.logring;

/**
 * How many frames may be sent over a link: a receiver has {@link #FRAMES} buffers for each
 * neighbour, and a frame must never find none. Each frame tells how many there were in all for the
 * other side, from the link's begin on; these counts wrap around.
 */
final class Window {
  /** Frames that may be under way at a time. */
  static final int FRAMES = 8;

  /** Of them, those that are kept for what is not a heartbeat: a notice, a goodbye. */
  private static final int KEPT = 2;

  private int sent;
  private int completed;
  private int allowed = FRAMES;
  private int arrived;

  /** How many may be sent now: there is a buffer for each, here and there. */
  int room() {
    return Math.min(allowed - sent, FRAMES - outstanding());
  }

  /** Whether there is room for a heartbeat. */
  boolean hasRoomForBeat() {
    return room() > KEPT;
  }

  /** A frame is being sent. Returns its place among the buffers for frames on their way. */
  int send() {
    return Math.floorMod(sent++, FRAMES);
  }

  /** The oldest frame that is outstanding has left its buffer. */
  void completed() {
    completed++;
  }

  /** Frames that have not left their buffers yet. */
  int outstanding() {
    return sent - completed;
  }

  /** What the next frame tells the other side. */
  int granted() {
    return arrived + FRAMES;
  }

  /**
   * A frame has arrived and its buffer is free again.
   *
   * @param grants what it told
   */
  void arrived(int grants) {
    arrived++;
    if (grants - allowed > 0) {
      allowed = grants;
    }
  }
}
