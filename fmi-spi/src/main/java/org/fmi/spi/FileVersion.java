package org.fmi.spi;

import java.util.List;

/**
 * A version of the job's checkpoints that files hold.
 *
 * @param token tells it from others of the same number; the same on all ranks
 * @param needed its checkpoints, ascending by version; the last one is what to go on from
 */
public record FileVersion(long token, List<CheckpointId> needed) {
  public FileVersion {
    needed = List.copyOf(needed);
    if (needed.isEmpty()) {
      throw new IllegalArgumentException("a version without a checkpoint");
    }
  }

  /** What to go on from. */
  public CheckpointId line() {
    return needed.getLast();
  }
}
