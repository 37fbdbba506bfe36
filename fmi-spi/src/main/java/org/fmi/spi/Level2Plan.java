package org.fmi.spi;

import java.util.List;

/**
 * What one rank has to know of checkpoints on files.
 *
 * @param every iterations between two that are written, rounded up to a checkpoint; 0: none are
 * @param directory where those of the job are; empty if there are none
 * @param origins what the job may begin from, newest first; empty if it begins anew
 * @param others what it begins from instead, if that is of another number of ranks, newest first
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
   * @param digest of the file
   * @param needed the checkpoints in it that all ranks begin from
   */
  public record Origin(String generation, String path, int digest, List<CheckpointId> needed) {
    public Origin {
      needed = List.copyOf(needed);
    }
  }

  /**
   * A generation of a job with another number of ranks.
   *
   * @param size how many it had
   * @param needed its checkpoints
   * @param files that they are in
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
   * @param ranks whose images are in it
   */
  public record OfRanks(String path, int digest, int[] ranks) {}
}
