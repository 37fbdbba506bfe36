package org.fmi.sim.papers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class FlowEnergyTest {
  private static final FlowEnergy JACOBI = new FlowEnergy(50 * 365 * 86400.0, 10, 4, 10);

  /** Data flow rollback paper, §6.4: 13 J/s, and 13 · 10². */
  @Test
  void itSavesWhatThePaperSays() {
    assertThat(JACOBI.joulesPerProcess()).isEqualTo(200);
    assertThat(JACOBI.watts(1e4)).isEqualTo(12.68, within(0.01));
    assertThat(JACOBI.watts(1e5)).isEqualTo(1268, within(1.0));
  }

  @Test
  void whoHelpsSavesNothing() {
    assertThat(JACOBI.helpers(1)).isEqualTo(9);
    assertThat(JACOBI.helpers(2)).isEqualTo(66);
    assertThat(JACOBI.watts(1e4, 2)).isLessThan(JACOBI.watts(1e4, 1)).isLessThan(12.68);
    assertThat(JACOBI.watts(50, 2)).isZero();
  }
}
