package org.fmi.sim.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.fmi.sim.checkpoint.Machine;
import org.junit.jupiter.api.Test;

final class ResilienceTest {
  private static final double DAY = 86400;
  private static final Resilience.Site SITE =
      new Resilience.Site(new Machine(32e9, 4e9, 50e9, 0.1, 1), 1000, 16);

  private static List<Resilience.Point> curve(double bytes, boolean both) {
    return Resilience.COASTAL.efficiency(
        SITE, bytes, both, List.of(1.0, 10.0, 50.0), 2, 1, () -> {});
  }

  /** FMI paper, §VI-C: 80 % at 6 times the failures, 70 % and 10 % at 10 times. */
  @Test
  void aJobRunsForADayAsLikelyAsThePaperSays() {
    assertThat(Resilience.COASTAL.times(6, 6).runs(DAY, true)).isEqualTo(0.801, within(5e-4));
    Resilience tenTimes = Resilience.COASTAL.times(10, 10);
    assertThat(tenTimes.runs(DAY, true)).isEqualTo(0.691, within(5e-4));
    assertThat(tenTimes.runs(DAY, false)).isEqualTo(0.110, within(5e-4));
    assertThat(Resilience.COASTAL.times(50, 50).runs(DAY, true)).isEqualTo(0.158, within(5e-4));
  }

  /** The order of the curves that the paper's text gives, and that all of them fall. */
  @Test
  void largeCheckpointsAndFailuresOfBothLevelsLoseMost() {
    List<Resilience.Point> small = curve(1e9, false);
    List<Resilience.Point> large = curve(10e9, false);
    List<Resilience.Point> both = curve(10e9, true);
    assertThat(small.getFirst().simulated()).isGreaterThan(0.95);
    for (List<Resilience.Point> points : List.of(small, large, both)) {
      assertThat(points.get(0).simulated()).isGreaterThan(points.get(1).simulated());
      assertThat(points.get(1).simulated()).isGreaterThan(points.get(2).simulated());
    }
    assertThat(small.getLast().simulated()).isGreaterThan(large.getLast().simulated());
    assertThat(large.getLast().simulated()).isGreaterThan(both.getLast().simulated());
  }
}
