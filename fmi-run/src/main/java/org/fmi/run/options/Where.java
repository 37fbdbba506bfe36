package org.fmi.run.options;

import java.util.List;
import org.fmi.run.slurm.Allocation;
import org.jspecify.annotations.Nullable;

/** Where the nodes of a job are, and how their daemons are started. */
public sealed interface Where {
  /** All of them on this machine. */
  record Local() implements Where {}

  /**
   * Hosts that ssh reaches.
   *
   * @param prefix where FMI is installed on them, if not in the same place as here
   */
  record Ssh(@Nullable String prefix) implements Where {}

  /**
   * Nodes that Slurm has given to the job.
   *
   * @param arguments for each srun
   * @param stopBeforeSeconds how long before the end of Slurm's job to stop at a checkpoint; 0
   *     never
   * @param requestSeconds how long another node may take that Slurm is asked for; 0 if it is not
   * @param prefix where FMI is installed on them, if not in the same place as here
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

  /** What the nodes are, for the user. */
  default String kind() {
    return switch (this) {
      case Local _ -> "local nodes";
      case Ssh _ -> "hosts over ssh";
      case Slurm slurm -> "nodes of Slurm job " + slurm.allocation().job();
    };
  }
}
