package org.fmi.sim.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class LevelTest {
  private static final Machine SIERRA = new Machine(32e9, 4e9, 50e9, 0.1, 1);

  @Test
  void aCheckpointInMemoryCostsACopyTheExchangeAndTheCode() {
    Level level = Level.inMemory(SIERRA, 6e9, 16, 1, 3600);
    assertThat(level.cost()).isEqualTo(2 * 6 / 32.0 + 6 / 4.0, within(1e-12));
    assertThat(level.restart()).isEqualTo(1 + level.cost() + 6 / 4.0, within(1e-12));
    assertThat(Level.inMemory(SIERRA, 6e9, 1, 0, 3600).cost()).isEqualTo(6 / 32.0, within(1e-12));
    assertThat(Level.inMemory(SIERRA, 6e9, 16, 3, 3600).cost()).isGreaterThan(level.cost());
  }

  @Test
  void onFilesOnlyASlowerProgramCosts() {
    Level level = Level.onFiles(SIERRA, 1e12, 1e5);
    assertThat(level.latency()).isEqualTo(20);
    assertThat(level.cost()).isEqualTo(2);
    assertThat(level.restart()).isEqualTo(21);
  }

  @Test
  void noOtherIntervalLosesLess() {
    Level level = new Level(10, 10, 20, 3600);
    double best = level.useful(level.interval());
    assertThat(level.useful(level.interval() * 1.1)).isLessThan(best);
    assertThat(level.useful(level.interval() / 1.1)).isLessThan(best);
  }

  @Test
  void withoutFailuresOnlyCheckpointsCost() {
    assertThat(new Level(1, 1, 1, Double.POSITIVE_INFINITY).useful(9)).isEqualTo(0.9);
  }
}
