package org.fmi;

/** What a rank knows of another rank's process: see {@link Fmi#state}. */
public enum ProcessState {
  /** It lives, as far as this rank knows. */
  ALIVE,
  /** It is taken for dead, and the job has not decided yet. */
  SUSPECTED,
  /** The job has declared it dead. */
  DEAD
}
