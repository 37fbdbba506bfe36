package org.fmi.core.rollback;

import java.util.function.LongSupplier;

/** Decides how much memory a rank may take for copies of what it sends between two checkpoints. */
final class LogRoom {
  /** Too little for a log. */
  static final long NONE = 0;

  /** With less than this, a log would be too short for most intervals. */
  static final long LEAST = 16 << 20;

  /** The ranks of a node take this part of what is free there, all together. */
  private static final int ONE_IN = 5;

  /** A log that has more than this part of what it may hold is soon full. */
  private static final int FILLS = 2;

  /** Checkpoints that are taken before they are due take this part of the time at most. */
  private static final int EARLY_SHARE = 16;

  private LogRoom() {}

  /**
   * Whether a line is to be begun because the log fills: what is sent until that is committed has
   * to find room too.
   */
  static boolean isPressed(long bytes, long limit) {
    return bytes > limit / FILLS;
  }

  /**
   * Whether a checkpoint for which all ranks stand still may be taken before it is due, so that a
   * log has room again: all that are taken so must cost little.
   *
   * @param tookNanos what the last one took
   * @param sinceNanos how long ago that was
   */
  static boolean isWorthwhile(long tookNanos, long sinceNanos) {
    return sinceNanos >= EARLY_SHARE * tookNanos;
  }

  /** What has to be free on a node for the logs of so many ranks, in bytes. */
  static long free(int ranks) {
    return LEAST * ONE_IN * ranks;
  }

  /**
   * What a log needs from one checkpoint to the next, in bytes, if a rank goes on as it has.
   *
   * @param bytes what it has sent since the last one
   * @param iterations in how many iterations, the one under way included
   * @param interval the iterations between two checkpoints; 0 if one was begun as the log was half
   *     full, and is not committed
   */
  static long needed(long bytes, long iterations, long interval) {
    double each = (double) bytes / Math.max(1, iterations);
    return interval == 0 ? FILLS * bytes : Math.max(bytes, (long) Math.ceil(each * interval));
  }

  /**
   * In bytes: as much as the rank's state, as far as its share of the node's memory allows that,
   * and half of what the program may still take for direct buffers.
   *
   * @param state the size of the state of the loop
   * @param free what is free on the node
   * @param ranks how many share that
   * @param direct what Java may still allocate outside of the heap; asked for if it matters
   */
  static long of(long state, long free, int ranks, LongSupplier direct) {
    long most = Math.min(free / ONE_IN / ranks, Math.max(LEAST, state));
    if (most < LEAST) {
      return NONE;
    }
    return most == LEAST ? LEAST : Math.max(LEAST, Math.min(most, direct.getAsLong() / 2));
  }
}
