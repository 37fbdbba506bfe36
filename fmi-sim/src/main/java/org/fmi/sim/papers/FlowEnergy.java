package org.fmi.sim.papers;

import java.util.stream.IntStream;

/**
 * Data flow rollback paper, §6: the power that a machine saves where only those recompute that lost
 * data came from, and the others idle.
 *
 * @param nodeMtbf mean time between failures of a node, in seconds
 * @param interval iterations between checkpoints
 * @param iterationSeconds what an iteration takes
 * @param savedWatts what an idle process saves
 */
public record FlowEnergy(
    double nodeMtbf, int interval, double iterationSeconds, double savedWatts) {

  /** Joules that a process saves in a recovery: half an interval is computed again, on average. */
  public double joulesPerProcess() {
    return savedWatts * iterationSeconds * interval / 2;
  }

  /** Eq. 7: n² / µ · C_e, as if all processes idled. */
  public double watts(double processes) {
    return processes * processes / nodeMtbf * joulesPerProcess();
  }

  /**
   * Eq. 3 with those processes left out that help.
   *
   * @param dimensions of the stencil: 1 (three points) or 2 (five points)
   */
  public double watts(double processes, int dimensions) {
    double idle = Math.max(0, processes - helpers(dimensions));
    return processes / nodeMtbf * idle * joulesPerProcess();
  }

  /**
   * Eq. 5: processes that help, on average. The paper gives the order of Eq. 4 for two dimensions;
   * here they are counted.
   */
  double helpers(int dimensions) {
    return IntStream.range(0, interval)
        .mapToDouble(r -> dimensions == 1 ? 2.0 * r : 2.0 * r * (r + 1))
        .average()
        .orElse(0);
  }
}
