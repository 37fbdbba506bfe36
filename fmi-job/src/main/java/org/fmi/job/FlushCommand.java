package org.fmi.job;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.job.control.Level2Report;
import org.fmi.spi.CheckpointId;

/** A command about checkpoints in files. */
public sealed interface FlushCommand {
  /**
   * Have a node write the images that its ranks have pinned.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   */
  record Flush(int node, long version, long oldest) implements FlushCommand {}

  /**
   * Have a node publish a version.
   *
   * @param oldest a version that may be deleted if there is no room; -1 for none
   * @param needed its checkpoints; a job continues from the last one
   * @param files the files of all nodes
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

  /** A version is being written from now on; its cost is to be measured. */
  record Begun() implements FlushCommand {}

  /**
   * A version is no longer being written.
   *
   * @param counts whether it is published
   */
  record Ended(boolean counts) implements FlushCommand {}

  /**
   * The awaited version is published, or never will be.
   *
   * @param committed the newest published version of this job; -1 for none
   * @param failure why the last one is not published; empty if it is
   */
  record Finished(long committed, String failure) implements FlushCommand {}

  /** A notice for the user. */
  record Report(Notice notice) implements FlushCommand {}
}
