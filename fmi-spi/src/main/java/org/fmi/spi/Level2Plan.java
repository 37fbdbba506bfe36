package org.fmi.spi;

import java.util.List;

/**
 * What one rank has to know of checkpoints on files.
 *
 * @param every iterations between two that are written, rounded up to a checkpoint; 0: none are
 * @param origin the file that holds what this rank begins from; empty if it begins anew
 * @param digest of that file
 * @param needed the checkpoints in it that all ranks begin from
 */
public record Level2Plan(long every, String origin, int digest, List<CheckpointId> needed) {
  /** Without files. */
  public static final Level2Plan NONE = new Level2Plan(0, "", 0, List.of());

  public Level2Plan {
    needed = List.copyOf(needed);
  }
}
