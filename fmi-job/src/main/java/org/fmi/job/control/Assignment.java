package org.fmi.job.control;

import java.util.List;
import org.fmi.spi.Fault;

/**
 * The rank that a process serves, as decided.
 *
 * @param incarnation the number of processes that served the rank before
 * @param group the world ranks of its checkpoint group
 * @param ranksOnNode the number of ranks that share the node
 * @param faults failures to inject in this process
 */
public record Assignment(
    int rank, int incarnation, int[] group, int ranksOnNode, List<Fault> faults) {
  public Assignment {
    faults = List.copyOf(faults);
  }
}
