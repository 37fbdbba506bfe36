package org.fmi.job.control;

import org.fmi.codec.Tag;
import org.fmi.codec.Wire;

/** How it went for a daemon's helper. */
@Wire
public sealed interface FlushResult {
  /** A file is written. */
  @Tag(1)
  record Written(String name, long bytes, int digest, int[] ranks) implements FlushResult {}

  /** A version counts. */
  @Tag(2)
  record Published() implements FlushResult {}

  /**
   * It could not be done.
   *
   * @param full whether it was for lack of room
   */
  @Tag(3)
  record Failed(String reason, boolean full) implements FlushResult {}
}
