package org.fmi.job.control;

import java.util.List;
import org.fmi.codec.Tag;
import org.fmi.spi.CheckpointId;

/** A report of a node about checkpoints in files. */
public sealed interface Level2Report {
  /**
   * All ranks of the node have pinned the images of a version.
   *
   * @param needed its checkpoints; a job continues from the last one
   * @param ranks the ranks of the node
   */
  @Tag(1)
  record Ready(int epoch, List<CheckpointId> needed, int[] ranks) implements Level2Report {
    public Ready {
      needed = List.copyOf(needed);
    }
  }

  /**
   * The node's file is written.
   *
   * @param name name of the file
   * @param bytes its size
   * @param ranks ranks whose images it holds
   */
  @Tag(2)
  record Written(long version, String name, long bytes, int digest, int[] ranks)
      implements Level2Report {}

  /** A version is published. */
  @Tag(3)
  record Published(long version) implements Level2Report {}

  /**
   * An order for a version failed.
   *
   * @param full whether it failed for lack of room
   */
  @Tag(4)
  record Failed(long version, String reason, boolean full) implements Level2Report {}

  /** The process that executes the order for a version has waited for a core for long. */
  @Tag(5)
  record Starved(long version) implements Level2Report {}
}
