package org.fmi.job.control;

import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.Level2Plan;

/**
 * What the daemons of a job know of its checkpoints on files.
 *
 * @param directory where they are written, absolute; empty if none are
 * @param every iterations between two
 * @param stallMillis how long a process that writes them may stand still
 * @param bytesPerSecond that a node writes at most; 0 for no limit
 * @param needed the checkpoints that the job begins from; none if it begins anew
 * @param origins the files that they are in
 */
public record Level2Setup(
    String directory,
    long every,
    long stallMillis,
    long bytesPerSecond,
    List<CheckpointId> needed,
    List<Origin> origins) {
  /** Without files. */
  public static final Level2Setup NONE = new Level2Setup("", 0, 0, 0, List.of(), List.of());

  public Level2Setup {
    needed = List.copyOf(needed);
    origins = List.copyOf(origins);
  }

  /**
   * A file that the job begins from.
   *
   * @param path absolute
   * @param ranks whose images are in it
   */
  public record Origin(String path, int digest, int[] ranks) {}

  /** What one rank has to know. */
  public Level2Plan plan(int rank) {
    for (Origin origin : origins) {
      for (int each : origin.ranks()) {
        if (each == rank) {
          return new Level2Plan(every, origin.path(), origin.digest(), needed);
        }
      }
    }
    return new Level2Plan(every, "", 0, List.of());
  }
}
