package org.fmi.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MachineLoadTest {
  @Test
  void theAverageOfTheLastMinuteIsSaidBesideTheCores() {
    assertThat(MachineLoad.text("148.61 90.12 30.00 5/1200 4711\n", 2))
        .isEqualTo("load 149 on 2 cores");
    assertThat(MachineLoad.text("0.20 0.10 0.05 1/100 9\n", 1)).isEqualTo("load 0 on 1 core");
    assertThat(MachineLoad.text()).matches("load \\d+ on \\d+ cores?");
  }
}
