package org.fmi.spi;

/**
 * The reaction to the loss of a rank, from {@code Start} of the first epoch on. Before, the program
 * has not run anywhere, and a lost process is always replaced.
 */
public enum OnFailure {
  /** Another process takes the rank's place, and ranks roll back. */
  REPLACE,
  /** The job ends. */
  END,
  /** The other ranks continue; their calls that need the lost rank fail. */
  SHRINK
}
