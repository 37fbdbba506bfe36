package org.fmi.core.rollback;

import java.util.function.LongSupplier;

/** Decides how much memory a rank may use for its message log between two checkpoints. */
final class LogLimit {
  /** Too little room for a log. */
  static final long NONE = 0;

  /** A smaller log would be too short for most intervals. */
  static final long MIN_BYTES = 16 << 20;

  /** All logs of a node together take this fraction of its free memory. */
  private static final int NODE_SHARE = 5;

  /** A log is pressed when more than this fraction of its limit is used. */
  private static final int PRESSED_SHARE = 2;

  /** Checkpoints taken before they are due take at most this fraction of the time. */
  private static final int EARLY_SHARE = 16;

  private LogLimit() {}

  /**
   * Whether to begin an asynchronous recovery line because the log fills up: the messages sent
   * until it is committed need room too.
   */
  static boolean isPressed(long bytes, long limit) {
    return bytes > limit / PRESSED_SHARE;
  }

  /**
   * Whether a checkpoint that all ranks wait for may be taken early, to make room in a log: all
   * early ones together must be cheap.
   *
   * @param tookNanos duration of the last checkpoint
   * @param sinceNanos time since then
   */
  static boolean isWorthwhile(long tookNanos, long sinceNanos) {
    return sinceNanos >= EARLY_SHARE * tookNanos;
  }

  /** The free memory, in bytes, that a node needs for the logs of this many ranks. */
  static long free(int ranks) {
    return MIN_BYTES * NODE_SHARE * ranks;
  }

  /**
   * The log size, in bytes, that the rank needs from one checkpoint to the next at its present
   * rate.
   *
   * @param bytes bytes sent since the last checkpoint
   * @param iterations iterations since then, including the current one
   * @param interval iterations between two checkpoints; 0 if a checkpoint was begun when the log
   *     was half full and is not committed
   */
  static long needed(long bytes, long iterations, long interval) {
    double each = (double) bytes / Math.max(1, iterations);
    return interval == 0
        ? PRESSED_SHARE * bytes
        : Math.max(bytes, (long) Math.ceil(each * interval));
  }

  /**
   * The limit of a log, in bytes: the size of the rank's state, but at most its share of the node's
   * free memory, and half of what the program may still allocate for direct buffers.
   *
   * @param state the size of the loop's state
   * @param free the node's free memory
   * @param ranks number of ranks that share it
   * @param direct memory that Java may still allocate outside of the heap; evaluated only if it
   *     matters
   */
  static long of(long state, long free, int ranks, LongSupplier direct) {
    long most = Math.min(free / NODE_SHARE / ranks, Math.max(MIN_BYTES, state));
    if (most < MIN_BYTES) {
      return NONE;
    }
    return most == MIN_BYTES
        ? MIN_BYTES
        : Math.max(MIN_BYTES, Math.min(most, direct.getAsLong() / 2));
  }
}
