package org.fmi.sim.checkpoint;

/**
 * A job for which checkpoints are planned.
 *
 * @param ranks how many ranks it has
 * @param ranksPerNode how many of them are on a node
 * @param stateBytes of each rank
 * @param workSeconds how long it would take without checkpoints and failures
 */
public record JobShape(int ranks, int ranksPerNode, double stateBytes, double workSeconds) {
  /** Returns the number of nodes. */
  public int nodes() {
    return Math.ceilDiv(ranks, ranksPerNode);
  }

  /** State on a full node. */
  public double nodeBytes() {
    return stateBytes * Math.min(ranks, ranksPerNode);
  }

  /** State of the whole job. */
  public double allBytes() {
    return stateBytes * ranks;
  }
}
