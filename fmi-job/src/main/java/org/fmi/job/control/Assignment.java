package org.fmi.job.control;

import java.util.List;
import org.fmi.spi.Fault;

/**
 * The rank that a process is to serve, as it is decided.
 *
 * @param incarnation how many processes served the rank before
 * @param group the world ranks of its checkpoint group
 * @param ranksOnNode how many ranks share the node
 * @param faults failures to inject in this process
 */
public record Assignment(
    int rank, int incarnation, int[] group, int ranksOnNode, List<Fault> faults) {
  public Assignment {
    faults = List.copyOf(faults);
  }
}
