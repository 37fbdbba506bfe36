package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class GrantedMemoryTest {
  private static double share(Map<String, String> environment) {
    return GrantedMemory.share(environment, () -> 8L << 30);
  }

  @Test
  void isAllOfItOutsideOfJobsAndWhereNothingIsSaid() {
    assertThat(share(Map.of())).isEqualTo(1);
    assertThat(share(Map.of("SLURM_MEM_PER_NODE", "0"))).isEqualTo(1);
    assertThat(share(Map.of("SLURM_MEM_PER_CPU", "1024"))).isEqualTo(1);
    assertThat(share(Map.of("SLURM_MEM_PER_NODE", "much"))).isEqualTo(1);
  }

  @Test
  void isWhatSlurmGrantsToTheNodeOrToItsCores() {
    assertThat(share(Map.of("SLURM_MEM_PER_NODE", "2048"))).isEqualTo(0.25);
    assertThat(share(Map.of("SLURM_MEM_PER_CPU", "1024", "SLURM_CPUS_ON_NODE", "4")))
        .isEqualTo(0.5);
  }

  /** A control group may limit it further. */
  @Test
  void isNeverMoreThanThereIs() {
    assertThat(share(Map.of("SLURM_MEM_PER_NODE", "65536"))).isEqualTo(1);
  }
}
