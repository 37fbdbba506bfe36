package org.fmi.sim.scale;

import java.util.ArrayList;
import java.util.List;
import org.fmi.job.JobSpec;

/**
 * A job on many nodes.
 *
 * @param nodes with ranks
 * @param ranksPerNode on each of them
 * @param spares nodes without ranks
 * @param machines how many machines the nodes share; 0 for one machine per node
 * @param cores of a machine
 * @param logRingBase as {@code --logring-base}
 * @param lost how many adjacent nodes are lost together
 */
public record ScaleShape(
    int nodes, int ranksPerNode, int spares, int machines, int cores, int logRingBase, int lost) {
  /** Returns the number of ranks. */
  public int ranks() {
    return nodes * ranksPerNode;
  }

  int machineOf(int node) {
    return machines == 0 ? node : node % machines;
  }

  int machineCount() {
    return machines == 0 ? nodes + spares : machines;
  }

  JobSpec spec() {
    List<JobSpec.Node> all = new ArrayList<>();
    for (int n = 0; n < nodes + spares; n++) {
      all.add(new JobSpec.Node("node" + n, ranksPerNode, n >= nodes));
    }
    return new JobSpec(
        ranks(),
        new JobSpec.Room(all, ranksPerNode, JobSpec.OnNoSpare.SHARE),
        new JobSpec.Grouping(16, 1),
        JobSpec.Recovery.ofAll(Integer.MAX_VALUE),
        List.of());
  }
}
