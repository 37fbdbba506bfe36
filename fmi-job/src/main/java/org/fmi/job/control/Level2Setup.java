package org.fmi.job.control;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.Level2Plan.OfRanks;
import org.fmi.spi.Level2Plan.Others;

/**
 * The facts that daemons know of the job's checkpoints in files.
 *
 * @param directory their directory, absolute; empty if none are written
 * @param every iterations between two of them
 * @param stallMillis how long a process that writes them may make no progress
 * @param bytesPerSecond maximum write rate of a node; 0 for no limit
 * @param origins the generations that the job may start from, newest first; none if it starts from
 *     scratch
 * @param others the generations of another number of ranks that it starts from instead, newest
 *     first
 */
public record Level2Setup(
    String directory,
    long every,
    long stallMillis,
    long bytesPerSecond,
    List<Origin> origins,
    List<Others> others) {
  /** No files. */
  public static final Level2Setup NONE = new Level2Setup("", 0, 0, 0, List.of(), List.of());

  public Level2Setup {
    origins = List.copyOf(origins);
    others = List.copyOf(others);
  }

  /**
   * A generation that the job may start from.
   *
   * @param name its name for the user
   * @param needed its checkpoints
   * @param files their files
   */
  public record Origin(String name, List<CheckpointId> needed, List<OfRanks> files) {
    public Origin {
      needed = List.copyOf(needed);
      files = List.copyOf(files);
    }
  }

  private static boolean holds(OfRanks file, int rank) {
    for (int each : file.ranks()) {
      if (each == rank) {
        return true;
      }
    }
    return false;
  }

  /** Returns the part that one rank needs. */
  public Level2Plan plan(String job, int rank) {
    List<Level2Plan.Origin> mine = new ArrayList<>();
    for (Origin origin : origins) {
      for (OfRanks file : origin.files) {
        if (holds(file, rank)) {
          mine.add(new Level2Plan.Origin(origin.name, file.path(), file.digest(), origin.needed));
        }
      }
    }
    return new Level2Plan(every, directory.isEmpty() ? "" : directory + "/" + job, mine, others);
  }
}
