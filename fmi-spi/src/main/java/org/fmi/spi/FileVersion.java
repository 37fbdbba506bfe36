package org.fmi.spi;

import java.util.List;

/**
 * A version of the job's checkpoints in files.
 *
 * @param token distinguishes versions of the same number; the same on all ranks
 * @param needed its checkpoints, ascending by version; the last one is the recovery line
 */
public record FileVersion(long token, List<CheckpointId> needed) {
  public FileVersion {
    needed = List.copyOf(needed);
    if (needed.isEmpty()) {
      throw new IllegalArgumentException("a version without a checkpoint");
    }
  }

  /** The checkpoint to continue from. */
  public CheckpointId recoveryLine() {
    return needed.getLast();
  }
}
