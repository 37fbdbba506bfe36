package org.fmi.run.flush;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PaceTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void soManyBytesPerSecondPass() {
    Pace pace = new Pace(1000, 7, () -> {});
    long now = 7;
    for (int i = 0; i < 100; i++) {
      now += pace.take(250, now);
    }
    // All but the last are paid for.
    assertThat(now).isEqualTo(7 + 99 * SECOND / 4);
  }

  @Test
  void littleIsSavedInAPause() {
    Pace pace = new Pace(1000, 0, () -> {});
    long now = 100 * SECOND;
    assertThat(pace.take(100, now)).isZero();
    assertThat(pace.take(100, now)).isZero();
    assertThat(pace.take(100, now)).isEqualTo(SECOND / 10);
  }

  @Test
  void withoutALimitNothingWaits() {
    Pace pace = new Pace(0, 0, () -> {});
    assertThat(pace.take(1L << 40, 0)).isZero();
    assertThat(pace.take(1L << 40, 0)).isZero();
  }
}
