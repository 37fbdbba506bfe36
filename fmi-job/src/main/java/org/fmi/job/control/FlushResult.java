package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;

/** The result of a task of a daemon's helper. */
@Wire
public sealed interface FlushResult {
  /** A file is written. */
  @Tag(1)
  record Written(String name, long bytes, int digest, int[] ranks) implements FlushResult {}

  /** A version is published. */
  @Tag(2)
  record Published() implements FlushResult {}

  /**
   * The task failed.
   *
   * @param full whether it failed for lack of room
   */
  @Tag(3)
  record Failed(String reason, boolean full) implements FlushResult {}
}
