package org.fmi.sim.rollback;

/** Who goes back to a checkpoint in memory after a failure. */
public enum Strategy {
  /** All hosts. */
  GLOBAL,
  /** Only those that have failed; the others send them again what they have sent, out of a log. */
  LOCAL
}
