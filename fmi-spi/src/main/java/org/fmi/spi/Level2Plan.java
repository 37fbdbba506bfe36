package org.fmi.spi;

import java.util.List;

/**
 * A rank's settings for checkpoints in files.
 *
 * @param every iterations between two written checkpoints, rounded up to a checkpoint; 0 to write
 *     none
 * @param directory the directory of the job's files; empty if there are none
 * @param origins the files that the job may start from, newest first; empty for a fresh start
 * @param others the generations that it starts from instead if they belong to a different number of
 *     ranks, newest first
 */
public record Level2Plan(long every, String directory, List<Origin> origins, List<Others> others) {
  /** Without files. */
  public static final Level2Plan NONE = new Level2Plan(0, "", List.of(), List.of());

  public Level2Plan {
    origins = List.copyOf(origins);
    others = List.copyOf(others);
  }

  /**
   * The file that holds this rank's part of a generation of an earlier job.
   *
   * @param generation its name
   * @param digest the file's digest
   * @param needed the checkpoints in it that all ranks start from
   */
  public record Origin(String generation, String path, int digest, List<CheckpointId> needed) {
    public Origin {
      needed = List.copyOf(needed);
    }
  }

  /**
   * A generation of a job with another number of ranks.
   *
   * @param size that number
   * @param needed its checkpoints
   * @param files the files that contain them
   */
  public record Others(
      String generation, int size, List<CheckpointId> needed, List<OfRanks> files) {
    public Others {
      needed = List.copyOf(needed);
      files = List.copyOf(files);
    }
  }

  /**
   * A file of such a generation.
   *
   * @param ranks the ranks whose images it contains
   */
  public record OfRanks(String path, int digest, int[] ranks) {}
}
