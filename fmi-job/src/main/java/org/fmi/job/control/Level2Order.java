package org.fmi.job.control;

import org.fmi.codec.Tag;

/** An order of fmirun to a node about checkpoints in files. */
public sealed interface Level2Order {
  /**
   * Write the images of a version that the node's ranks have pinned: answered by {@link
   * Level2Report.Written} or {@link Level2Report.Failed}. Images of older versions are released.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   */
  @Tag(1)
  record Flush(long version, long oldest) implements Level2Order {}

  /**
   * Publish a version, and delete old ones: answered by {@link Level2Report.Published} or {@link
   * Level2Report.Failed}.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   * @param manifest the content of its manifest file
   * @param keep the number of versions to keep
   */
  @Tag(2)
  record Publish(long version, long oldest, byte[] manifest, int keep) implements Level2Order {}
}
