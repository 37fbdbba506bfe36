package org.fmi.run.options;

import java.util.List;
import org.fmi.run.Amounts;
import org.fmi.run.slurm.Allocation;
import org.jspecify.annotations.Nullable;

/** The place of a job's nodes, and the way to start their daemons. */
public sealed interface Where {
  /** All nodes are on this machine. */
  record Local() implements Where {}

  /**
   * Hosts that ssh reaches.
   *
   * @param prefix the directory of FMI on them, if it differs from this machine's
   */
  record Ssh(@Nullable String prefix) implements Where {}

  /**
   * Nodes that Slurm has allocated to the job.
   *
   * @param arguments arguments of each srun
   * @param stopBeforeSeconds how long before the end of the Slurm job to stop at a checkpoint; 0
   *     for never
   * @param requestSeconds how long to wait for a node requested from Slurm; 0 to request none
   * @param prefix the directory of FMI on them, if it differs from this machine's
   */
  record Slurm(
      Allocation allocation,
      List<String> arguments,
      long stopBeforeSeconds,
      int requestSeconds,
      @Nullable String prefix)
      implements Where {
    public Slurm {
      arguments = List.copyOf(arguments);
    }
  }

  /** Whether all nodes are on this machine. */
  default boolean isLocal() {
    return this instanceof Local;
  }

  /** Returns so many nodes, for the user. */
  default String nodes(int number) {
    return switch (this) {
      case Local _ -> Amounts.count(number, "local node");
      case Ssh _ -> Amounts.count(number, "host") + " over ssh";
      case Slurm slurm ->
          Amounts.count(number, "node") + " of Slurm job " + slurm.allocation().job();
    };
  }
}
