package org.fmi.sim.failures;

/**
 * Failures that take adjacent nodes together: a node alone, or all that hang on one power supply,
 * switch or rack.
 *
 * @param name what fails
 * @param nodes how many nodes it takes; {@link #ALL} for the whole machine
 * @param perYear how often one of these fails, for each one that there is
 */
public record FailureKind(String name, int nodes, double perYear) {
  /** The whole machine, however large. */
  public static final int ALL = Integer.MAX_VALUE;

  private static final double YEAR_SECONDS = 365 * 86400.0;

  /** Failures per second of all of this kind that a job on so many nodes has. */
  public double rate(int jobNodes) {
    return perYear / YEAR_SECONDS * (nodes == ALL ? 1 : Math.ceilDiv(jobNodes, nodes));
  }
}
