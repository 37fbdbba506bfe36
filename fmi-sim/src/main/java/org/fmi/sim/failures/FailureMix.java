package org.fmi.sim.failures;

import java.util.List;

/** The kinds of failures of a machine, and how often each of them comes. */
public record FailureMix(String name, List<FailureKind> kinds) {
  private static final int TSUBAME_NODES = 1408;

  public FailureMix {
    kinds = List.copyOf(kinds);
  }

  /** Single nodes alone: as often as a node fails per year. */
  public static FailureMix single() {
    return new FailureMix("single", List.of(new FailureKind("node", 1, 1)));
  }

  /**
   * Failures of TSUBAME 2.0 (FMI paper, Table I: failures per year of the whole machine, here of
   * one node, power supply, edge switch or rack).
   */
  public static FailureMix tsubame2() {
    return new FailureMix(
        "tsubame2",
        List.of(
            each("node", 1, 554.10),
            each("power supply", 4, 12.61),
            each("edge switch", 16, 21.02),
            each("rack", 32, 4.20),
            new FailureKind("file system or core switch", FailureKind.ALL, 5.61)));
  }

  private static FailureKind each(String name, int nodes, double ofAllPerYear) {
    return new FailureKind(name, nodes, ofAllPerYear * nodes / TSUBAME_NODES);
  }

  /** Failures per second that a job on so many nodes has. */
  public double rate(int jobNodes) {
    return kinds.stream().mapToDouble(kind -> kind.rate(jobNodes)).sum();
  }

  /** The same mix, so often that a job on so many nodes has this mean time between failures. */
  public FailureMix withJobMtbf(double seconds, int jobNodes) {
    return times(1 / seconds / rate(jobNodes));
  }

  /** The same mix, so often that one node by itself has this mean time between failures. */
  public FailureMix withNodeMtbf(double seconds) {
    return times(1 / seconds / kinds.getFirst().rate(1));
  }

  private FailureMix times(double factor) {
    return new FailureMix(
        name,
        kinds.stream()
            .map(kind -> new FailureKind(kind.name(), kind.nodes(), kind.perYear() * factor))
            .toList());
  }
}
