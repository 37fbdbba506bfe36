package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import org.fmi.spi.RecoveryPolicy;

/** The job with fewer ranks that continues the program where ranks have lost their place. */
final class Successor {
  private Successor() {}

  /**
   * Returns its specification.
   *
   * @param spec that of the job that it follows
   * @param nodes the numbers of the nodes that are up, ascending
   * @param placement knows these nodes
   * @param pending the failures that have not been injected
   * @param recoveries the number of recoveries so far
   */
  static JobSpec of(
      JobSpec spec,
      List<Integer> nodes,
      Placement placement,
      List<FaultSpec> pending,
      int recoveries) {
    List<JobSpec.Node> left = new ArrayList<>();
    int slots = 0;
    for (int node : nodes) {
      left.add(
          new JobSpec.Node(
              placement.name(node), placement.capacity(node), false, placement.rack(node)));
      slots += placement.capacity(node);
    }
    int size = Math.min(spec.size(), slots);
    List<FaultSpec> faults = new ArrayList<>();
    for (FaultSpec fault : pending) {
      int number = isOfRank(fault) ? fault.number() : nodes.indexOf(fault.number());
      if (isThere(fault, nodes, size)) {
        faults.add(
            new FaultSpec(fault.node(), number, fault.daemon(), fault.point(), fault.iteration()));
      }
    }
    JobSpec.Recovery recovery = spec.recovery();
    return new JobSpec(
        size,
        new JobSpec.Room(left, 0, JobSpec.OnNoSpare.SHRINK, spec.room().requestsNodes()),
        spec.grouping(),
        new JobSpec.Recovery(
            recovery.most(),
            recovery.earlier() + recoveries,
            recovery.mostWithoutProgress(),
            policy(recovery.policy(), size)),
        faults);
  }

  private static boolean isOfRank(FaultSpec fault) {
    return !fault.node() && !fault.daemon();
  }

  /** Whether a failure is of a rank or a node that the job of this size has. */
  static boolean isThere(FaultSpec fault, List<Integer> nodes, int size) {
    return isOfRank(fault) ? fault.number() < size : nodes.contains(fault.number());
  }

  /** A flow takes at least one rank beside another one. */
  private static RecoveryPolicy policy(RecoveryPolicy policy, int size) {
    return policy instanceof RecoveryPolicy.Flow flow
        ? size == 1
            ? new RecoveryPolicy.Global(flow.overlapped(), flow.files())
            : new RecoveryPolicy.Flow(Math.min(flow.limit(), size - 1), flow.log(), flow.files())
        : policy;
  }
}
