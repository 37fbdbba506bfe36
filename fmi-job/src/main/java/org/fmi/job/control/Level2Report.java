package org.fmi.job.control;

import java.util.List;
import org.fmi.codec.Tag;
import org.fmi.spi.CheckpointId;

/** What a node tells of checkpoints on files. */
public sealed interface Level2Report {
  /**
   * All ranks of the node keep what is needed of a version.
   *
   * @param needed its checkpoints; the last one is what to go on from
   * @param ranks of the node
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
   * @param name of the file
   * @param bytes its size
   * @param ranks whose images are in it
   */
  @Tag(2)
  record Written(long version, String name, long bytes, int digest, int[] ranks)
      implements Level2Report {}

  /** A version counts. */
  @Tag(3)
  record Published(long version) implements Level2Report {}

  /**
   * What was ordered for a version could not be done.
   *
   * @param full whether it was for lack of room
   */
  @Tag(4)
  record Failed(long version, String reason, boolean full) implements Level2Report {}

  /** Whoever does what was ordered for a version has waited for a core for long. */
  @Tag(5)
  record Starved(long version) implements Level2Report {}
}
