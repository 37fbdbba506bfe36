package org.fmi.sim.rollback;

/** Who goes back to a checkpoint in memory after a failure. */
public enum Strategy {
  /** All hosts. */
  GLOBAL,
  /** Only those that have failed; the others send them again what they have sent, out of a log. */
  LOCAL,
  /**
   * Those that have failed, helped by those that their data came from, as far as these are needed;
   * the others wait.
   */
  FLOW,
  /** The same, where all that help compute as much as those that have failed (Alg. 1). */
  FLOW_PAPER
}
