package org.fmi.job.control;

import org.fmi.codec.Tag;

/** What fmirun wants a node to do with checkpoints on files. */
public sealed interface Level2Order {
  /**
   * Write what the ranks of the node keep of a version: answered by {@link Level2Report.Written} or
   * {@link Level2Report.Failed}. What they keep of older ones is let go.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   */
  @Tag(1)
  record Flush(long version, long oldest) implements Level2Order {}

  /**
   * Make a version count, and delete old ones: answered by {@link Level2Report.Published} or {@link
   * Level2Report.Failed}.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   * @param manifest the content of that file
   * @param keep how many versions stay
   */
  @Tag(2)
  record Publish(long version, long oldest, byte[] manifest, int keep) implements Level2Order {}
}
