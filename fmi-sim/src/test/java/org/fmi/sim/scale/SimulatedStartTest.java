package org.fmi.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.sim.scale.Decisions.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SimulatedStartTest {
  private static final ServiceTimes TIMES =
      new ServiceTimes(
          1e-3, 0.5, 0.3, 0.05, 0.01, 0.02, 0.01, 2e-5, 1e-5, 1e-9, 5e-5, 1e-3, 1e-4, 0.01);

  /** Time and memory that only grow: nothing depends on them. */
  private static final class Counting implements Meter {
    private long nanos;
    private long decided;

    @Override
    public long nanos() {
      return nanos++;
    }

    @Override
    public long heapBytes() {
      return nanos++ * -1000;
    }

    @Override
    public void decided() {
      decided++;
    }
  }

  private static ScaleResult run(int nodes, int ranksPerNode) {
    return run(nodes, ranksPerNode, 1);
  }

  private static ScaleResult run(int nodes, int ranksPerNode, int lost) {
    ScaleShape shape = new ScaleShape(nodes, ranksPerNode, lost, 0, ranksPerNode, 2, lost);
    return SimulatedStart.run(shape, TIMES, 1, new Counting());
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
    return result.decisions().all(Step.START).events()
        + result.decisions().all(Step.RECOVERY).events();
  }

  /** What the decision maker does for an event grows at most with the logarithm of the nodes. */
  @Test
  void anEventCostsLittleMoreOnManyNodesThanOnFew() {
    Decisions few = run(64, 1).decisions();
    Decisions many = run(4096, 1).decisions();
    double doublings = Math.log(4096) / Math.log(64);
    for (Step step : Step.values()) {
      assertThat(looks(few, step)).isPositive();
      assertThat(looks(many, step)).isLessThanOrEqualTo(doublings * looks(few, step));
      assertThat(many.all(step).mostLooks()).isBetween(1L, 20 * 4096L);
    }
  }

  private static double looks(Decisions decisions, Step step) {
    return (double) decisions.all(step).looks() / decisions.all(step).events();
  }

  @Test
  void theMeterIsAskedForEachEventAndBeforeAndAfterTheEnd() {
    Counting meter = new Counting();
    ScaleResult result = SimulatedStart.run(new ScaleShape(8, 1, 1, 0, 1, 2, 1), TIMES, 1, meter);
    assertThat(meter.decided).isEqualTo(events(result));
    assertThat(result.decisions().heapBytes()).isEqualTo(1000);
  }

  /** FMI paper, Table I: a power supply, an edge switch, a rack. */
  @ParameterizedTest
  @ValueSource(ints = {4, 16, 32})
  void nodesThatHangOnOneThingAreLostTogether(int lost) {
    ScaleResult result = run(128, 2, lost);
    assertThat(result.decisions().kinds(Step.RECOVERY))
        .hasEntrySatisfying("NodeLost", kind -> assertThat(kind.events()).isEqualTo(lost));
    assertThat(result.notified()).isPositive();
    assertThat(result.recovered()).isGreaterThan(result.notified());
  }

  /** Their ranks go to nodes that live, and not to others that are lost too. */
  @Test
  void manyNodesMayBeLostWithOneSpare() {
    ScaleShape shape = new ScaleShape(64, 2, 1, 0, 2, 2, 16);
    assertThat(SimulatedStart.run(shape, TIMES, 1, new Counting()).recovered()).isPositive();
  }

  @Test
  void ranksOfOneNodeAreLostTogether() {
    ScaleResult result = run(8, 4);
    assertThat(result.decisions().kinds(Step.RECOVERY))
        .hasEntrySatisfying("Joined", kind -> assertThat(kind.events()).isEqualTo(32));
    assertThat(result.recovered()).isPositive();
  }

  @Test
  void nodesThatShareAMachineWaitForItsCores() {
    ScaleShape shared = new ScaleShape(16, 4, 1, 1, 2, 2, 1);
    ScaleResult result = SimulatedStart.run(shared, TIMES, 1, new Counting());
    assertThat(result.running()).isGreaterThan(64 * TIMES.process() / 2);
    assertThat(run(16, 4).running()).isLessThan(2);
  }
}
