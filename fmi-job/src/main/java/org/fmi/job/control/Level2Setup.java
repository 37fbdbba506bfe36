package org.fmi.job.control;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.CheckpointId;
import org.fmi.spi.Level2Plan;
import org.fmi.spi.Level2Plan.OfRanks;
import org.fmi.spi.Level2Plan.Others;

/**
 * What the daemons of a job know of its checkpoints on files.
 *
 * @param directory where they are written, absolute; empty if none are
 * @param every iterations between two
 * @param stallMillis how long a process that writes them may stand still
 * @param bytesPerSecond that a node writes at most; 0 for no limit
 * @param origins what the job may begin from, newest first; none if it begins anew
 * @param others what it begins from instead, if that is of another number of ranks, newest first
 */
public record Level2Setup(
    String directory,
    long every,
    long stallMillis,
    long bytesPerSecond,
    List<Origin> origins,
    List<Others> others) {
  /** Without files. */
  public static final Level2Setup NONE = new Level2Setup("", 0, 0, 0, List.of(), List.of());

  public Level2Setup {
    origins = List.copyOf(origins);
    others = List.copyOf(others);
  }

  /**
   * A generation that the job may begin from.
   *
   * @param name as the user names it
   * @param needed its checkpoints
   * @param files that they are in
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

  /** What one rank has to know. */
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
