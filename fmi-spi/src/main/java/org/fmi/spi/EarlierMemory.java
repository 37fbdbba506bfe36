package org.fmi.spi;

import java.util.List;

/**
 * The memory of an earlier job of the same program, with more ranks, whose daemons still serve it:
 * this job begins from the checkpoints in it.
 *
 * @param size the number of ranks of that job
 * @param needed its recovery line, ascending by version
 * @param losses the number of members that its checkpoint groups may lose, if they have more
 * @param groups the world ranks of each group, ascending
 * @param holders the nodes with its checkpoints
 */
public record EarlierMemory(
    int size, List<CheckpointId> needed, int losses, List<int[]> groups, List<Holder> holders) {
  /** No earlier job. */
  public static final EarlierMemory NONE = new EarlierMemory(0, List.of(), 0, List.of(), List.of());

  public EarlierMemory {
    needed = List.copyOf(needed);
    groups = List.copyOf(groups);
    holders = List.copyOf(holders);
  }

  /** Whether there is such a job. */
  public boolean exists() {
    return !needed.isEmpty();
  }

  /** Whether a job that has committed a checkpoint of this loop needs that memory no more. */
  public boolean isTakenOver(long loop) {
    return loop >= needed.getLast().loop();
  }

  /**
   * A node with checkpoints.
   *
   * @param host the address of its daemon
   * @param port the port at which the daemon serves them
   * @param ranks the ranks that have left checkpoints there
   */
  public record Holder(String host, int port, int[] ranks) {}
}
