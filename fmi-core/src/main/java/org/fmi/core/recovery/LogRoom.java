package org.fmi.core.recovery;

import org.fmi.spi.RankConfig;

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

  private LogRoom() {}

  /**
   * Whether a line is to be begun because the log fills: what is sent until that is committed has
   * to find room too.
   */
  static boolean isPressed(long bytes, long limit) {
    return bytes > limit / FILLS;
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
   * In bytes: what the user says; else as much as the rank's state, as far as its share of the
   * node's memory allows that.
   *
   * @param given as in {@link RankConfig#logLimitBytes}
   * @param state the size of the state of the loop
   * @param free what is free on the node
   * @param ranks how many share that
   */
  static long of(long given, long state, long free, int ranks) {
    if (given != RankConfig.LOG_LIMIT_OF_STATE) {
      return given;
    }
    long share = free / ONE_IN / ranks;
    return share < LEAST ? NONE : Math.min(share, Math.max(LEAST, state));
  }
}
