package org.fmi;

/** The state of another rank's process, as known to a rank: see {@link Fmi#state}. */
public enum ProcessState {
  /** Alive: no failure is known here. */
  ALIVE,
  /** Suspected to be dead; the job has not decided yet. */
  SUSPECTED,
  /** The job has declared it dead. */
  DEAD
}
