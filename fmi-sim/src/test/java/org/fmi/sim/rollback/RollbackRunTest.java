package org.fmi.sim.rollback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.fmi.sim.failures.FailureMix;
import org.fmi.sim.failures.Grouping;
import org.fmi.sim.failures.NodeFailures;
import org.junit.jupiter.api.Test;

final class RollbackRunTest {
  private static final double HALO = 50e-6 + 800e3 / 125e6;

  private static Stencil line(int hosts, int iterations, boolean synchronous) {
    return new Stencil(hosts, 1, iterations, 10, HALO, 6, HALO, 0, 0, synchronous);
  }

  private static RollbackResult run(
      Stencil stencil, Strategy strategy, FailureMix mix, int losses, long seed) {
    Grouping grouping = new Grouping(stencil.hosts(), 16, losses);
    return RollbackRun.of(stencil, strategy, new NodeFailures(mix, grouping), seed);
  }

  private static FailureMix nodeMtbf(double seconds) {
    return FailureMix.single().withNodeMtbf(seconds);
  }

  @Test
  void withoutFailuresItTakesItsIterationsAndTheirHalos() {
    RollbackResult result = run(line(10, 12, true), Strategy.GLOBAL, nodeMtbf(1e12), 1, 1);
    assertThat(result.failures()).isZero();
    assertThat(result.again()).isZero();
    // The meeting in the middle costs a checkpoint, and spares a halo's wait nowhere.
    assertThat(result.seconds()).isEqualTo(12 * 10 + 11 * HALO, within(2 * HALO));
  }

  /** Data flow rollback paper, §5.2, with a log: 2.5 of one host, and 2.5 of all. */
  @Test
  void aFailureCostsHalfAnInterval() {
    double failures = 0;
    double local = 0;
    double global = 0;
    for (int seed = 1; seed <= 6; seed++) {
      RollbackResult one = run(line(200, 400, true), Strategy.LOCAL, nodeMtbf(100 * 3600), 1, seed);
      RollbackResult all =
          run(line(200, 400, true), Strategy.GLOBAL, nodeMtbf(100 * 3600), 1, seed);
      failures += one.failures();
      local += one.again();
      global += (double) all.again() / all.failures();
    }
    assertThat(failures).isBetween(8.0, 40.0);
    assertThat(local / failures).isBetween(1.5, 3.5);
    assertThat(global / 6 / 200).isBetween(1.5, 3.5);
  }

  /** 9.2 on average of r*r, 20.8 of r*(2r+1), for r from 0 to 5; at the edges of a line less. */
  @Test
  void aFailureCostsWhatLostDataCameFrom() {
    double failures = 0;
    double needed = 0;
    double paper = 0;
    for (int seed = 1; seed <= 12; seed++) {
      Stencil stencil = line(200, 400, true);
      RollbackResult flow = run(stencil, Strategy.FLOW, nodeMtbf(100 * 3600), 1, seed);
      failures += flow.failures();
      needed += flow.again();
      paper += run(stencil, Strategy.FLOW_PAPER, nodeMtbf(100 * 3600), 1, seed).again();
    }
    assertThat(needed / failures).isBetween(6.0, 12.5);
    assertThat(paper / needed).isBetween(1.9, 2.6);
  }

  @Test
  void aSeedIsAlwaysTheSameRun() {
    Stencil stencil = line(50, 200, false);
    assertThat(run(stencil, Strategy.LOCAL, nodeMtbf(1e5), 1, 3))
        .isEqualTo(run(stencil, Strategy.LOCAL, nodeMtbf(1e5), 1, 3))
        .isNotEqualTo(run(stencil, Strategy.LOCAL, nodeMtbf(1e5), 1, 4));
  }

  /** Where all meet at checkpoints, whoever repeats something is waited for. */
  @Test
  void whoGoesBackAloneMayBeCaughtUpWithWhereHostsRunApart() {
    double together = 0;
    double apart = 0;
    for (int seed = 1; seed <= 4; seed++) {
      together += run(line(200, 300, true), Strategy.LOCAL, nodeMtbf(1e5), 1, seed).seconds();
      apart += run(line(200, 300, false), Strategy.LOCAL, nodeMtbf(1e5), 1, seed).seconds();
    }
    assertThat(apart).isLessThan(together);
  }

  @Test
  void whatGroupsDoNotSurviveSendsAllBackToFiles() {
    Stencil stencil = new Stencil(8, 8, 1500, 10, HALO, 6, HALO, 60, 0, true);
    FailureMix mix = FailureMix.tsubame2().withJobMtbf(600, 64);
    RollbackResult two = run(stencil, Strategy.LOCAL, mix, 1, 1);
    assertThat(two.beyondGroups()).isPositive().isLessThan(two.failures());
    assertThat(two.again()).isGreaterThan(64L * 6 * two.beyondGroups());
  }

  @Test
  void aHostInTheMiddleOfAGridHasFourNeighbours() {
    Stencil grid = new Stencil(3, 3, 1, 1, 0, 1, 0, 0, 0, false);
    assertThat(grid.neighbours(4)).containsExactlyInAnyOrder(1, 3, 5, 7);
    assertThat(grid.neighbours(0)).containsExactlyInAnyOrder(1, 3);
    assertThat(line(3, 1, true).neighbours(1)).containsExactlyInAnyOrder(0, 2);
  }
}
