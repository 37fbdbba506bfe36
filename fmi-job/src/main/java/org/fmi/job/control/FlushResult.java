package org.fmi.job.control;

/** How it went for a daemon's helper. */
public sealed interface FlushResult {
  /** A file is written. */
  record Written(String name, long bytes, int digest, int[] ranks) implements FlushResult {}

  /** A version counts. */
  record Published() implements FlushResult {}

  /**
   * It could not be done.
   *
   * @param full whether it was for lack of room
   */
  record Failed(String reason, boolean full) implements FlushResult {}
}
