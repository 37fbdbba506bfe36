package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.fmi.job.FlushInterval;
import org.junit.jupiter.api.Test;

final class LevelsTextTest {
  private final FlushInterval measured = new FlushInterval(3600);

  private void flush(long second, boolean counts) {
    measured.begun(TimeUnit.SECONDS.toNanos(second));
    measured.ended(counts, TimeUnit.SECONDS.toNanos(second + 1));
  }

  @Test
  void attemptsThatFailedAreNoCheckpoints() {
    flush(100, false);
    flush(200, false);
    assertThat(LevelsText.lines(measured, 3600, 3600))
        .containsExactly(
            "in memory: 0 checkpoints", "in files: 0 checkpoints; 2 could not be written");
    flush(300, true);
    assertThat(LevelsText.lines(measured, 3600, 3600))
        .contains("in files: 1 checkpoint; 2 could not be written");
  }
}
