package org.fmi.run.job;

import java.util.List;

/**
 * What the decision maker knows of a job from the start.
 *
 * @param size the number of ranks
 * @param nodes the nodes, in the order of their numbers; those no rank is placed on are spares
 * @param ranksPerNode most ranks to place on a node, 0 for as many as it has slots
 * @param groupSize most ranks in a checkpoint group
 * @param onNoSpare what to do when a node is lost and no spare is left
 * @param maxRecoveries end the job rather than recover more often than this
 * @param faults failures to inject
 */
public record JobSpec(
    int size,
    List<Node> nodes,
    int ranksPerNode,
    int groupSize,
    OnNoSpare onNoSpare,
    int maxRecoveries,
    List<FaultSpec> faults) {

  public JobSpec {
    nodes = List.copyOf(nodes);
    faults = List.copyOf(faults);
  }

  /**
   * A node to use.
   *
   * @param name what people call it
   * @param slots how many ranks it takes
   * @param spare whether it was set aside as a spare
   */
  public record Node(String name, int slots, boolean spare) {}

  /** What to do when a node is lost and no spare is left. */
  public enum OnNoSpare {
    /** Try to start a lost node again until one comes back. */
    WAIT,
    /** Put its ranks on the surviving nodes, beyond their slots. */
    SHARE,
    /** End the job with status 70. */
    ABORT
  }
}
