package org.fmi.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class PhaseTest {
  @Test
  void aJobGoesThroughItsPhases() {
    assertThat(
            Phase.LAUNCHING
                .to(Phase.JOINING)
                .to(Phase.CONNECTING)
                .to(Phase.RUNNING)
                .to(Phase.JOINING)
                .to(Phase.JOINING)
                .to(Phase.CONNECTING)
                .to(Phase.JOINING)
                .to(Phase.CONNECTING)
                .to(Phase.RUNNING)
                .to(Phase.RELEASED)
                .to(Phase.ENDED))
        .isEqualTo(Phase.ENDED);
  }

  @Test
  void everyPhaseButTheLastMayEnd() {
    for (Phase phase : Phase.values()) {
      if (phase != Phase.ENDED) {
        assertThat(phase.to(Phase.ENDED)).isEqualTo(Phase.ENDED);
      }
    }
  }

  @Test
  void nothingIsRepeatedAfterTheRelease() {
    assertThatThrownBy(() -> Phase.RELEASED.to(Phase.JOINING))
        .isInstanceOf(AssertionError.class)
        .hasMessage("RELEASED must not become JOINING");
    assertThatThrownBy(() -> Phase.ENDED.to(Phase.ENDED)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> Phase.JOINING.to(Phase.RUNNING)).isInstanceOf(AssertionError.class);
  }
}
