package org.fmi.job;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.control.Level2Report;
import org.fmi.spi.CheckpointId;

/** What is to be done about checkpoints on files. */
public sealed interface FlushCommand {
  /**
   * Have a node write what its ranks keep.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   */
  record Flush(int node, long version, long oldest) implements FlushCommand {}

  /**
   * Have a node make a version count.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   * @param needed its checkpoints; the last one is what to go on from
   * @param files of all nodes
   */
  record Publish(
      int node,
      long version,
      long oldest,
      List<CheckpointId> needed,
      List<Level2Report.Written> files)
      implements FlushCommand {
    public Publish {
      needed = List.copyOf(needed);
      files = List.copyOf(files);
    }
  }

  /** From now on a version is being written: what that costs is to be measured. */
  record Begun() implements FlushCommand {}

  /**
   * It is written no longer.
   *
   * @param counts whether it counts
   */
  record Ended(boolean counts) implements FlushCommand {}

  /**
   * What was to be finished is: it counts, or it never will.
   *
   * @param committed the newest version that counts, of those that this job has written; -1 for
   *     none
   * @param failure why the last one does not, if it does not; else empty
   */
  record Finished(long committed, String failure) implements FlushCommand {}

  /** Something the user may want to know. */
  record Report(Notice notice) implements FlushCommand {}
}
