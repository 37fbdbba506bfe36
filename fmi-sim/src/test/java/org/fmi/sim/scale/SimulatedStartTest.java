package org.fmi.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SimulatedStartTest {
  private static final ServiceTimes TIMES =
      new ServiceTimes(
          1e-3, 0.5, 0.3, 0.05, 0.01, 0.02, 0.01, 2e-5, 1e-5, 1e-9, 5e-5, 1e-3, 1e-4, 0.01);

  private static ScaleResult run(int nodes, int ranksPerNode) {
    return SimulatedStart.run(
        new ScaleShape(nodes, ranksPerNode, 1, 0, ranksPerNode, 2),
        TIMES,
        1,
        new AtomicLong()::getAndIncrement);
  }

  @Test
  void theStepsOfAStartAndARecoveryFollowEachOther() {
    ScaleResult result = run(100, 1);
    assertThat(result.daemonsUp()).isPositive().isLessThan(result.joined());
    assertThat(result.joined()).isLessThan(result.connected());
    assertThat(result.connected()).isLessThan(result.running());
    assertThat(result.notified()).isPositive().isLessThan(result.rejoined());
    assertThat(result.rejoined()).isLessThan(result.reconnected());
    assertThat(result.reconnected()).isLessThan(result.recovered());
  }

  /** FMI paper, §IV-C: a notice passes half as many ranks as there are doublings, rounded up. */
  @Test
  void noticesPassNoMoreRanksThanTheLogRingAllows() {
    for (int nodes : new int[] {2, 8, 100, 1000}) {
      int doublings = 32 - Integer.numberOfLeadingZeros(nodes - 1);
      assertThat(run(nodes, 1).hops()).isLessThanOrEqualTo((doublings + 1) / 2);
    }
  }

  /** Each rank says as much, however many there are. */
  @Test
  void eventsGrowAsRanksDo() {
    assertThat(events(run(100, 1))).isBetween(5 * 100L, 10 * 100L);
    assertThat(events(run(400, 1))).isBetween(5 * 400L, 10 * 400L);
    assertThat(run(400, 1).startBytes())
        .isBetween(3 * run(100, 1).startBytes(), 5 * run(100, 1).startBytes());
  }

  private static long events(ScaleResult result) {
    return result.decisions().all().events();
  }

  @Test
  void ranksOfOneNodeAreLostTogether() {
    ScaleResult result = run(8, 4);
    assertThat(result.decisions().kinds())
        .hasEntrySatisfying("Joined", kind -> assertThat(kind.events()).isEqualTo(64));
    assertThat(result.recovered()).isPositive();
  }

  @Test
  void nodesThatShareAMachineWaitForItsCores() {
    ScaleShape shared = new ScaleShape(16, 4, 1, 1, 2, 2);
    ScaleResult result = SimulatedStart.run(shared, TIMES, 1, () -> 0);
    assertThat(result.running()).isGreaterThan(64 * TIMES.process() / 2);
    assertThat(run(16, 4).running()).isLessThan(2);
  }
}
