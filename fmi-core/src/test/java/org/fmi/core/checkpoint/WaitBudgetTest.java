package org.fmi.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WaitBudgetTest {
  private static final long ITERATION = 1_600;

  private final WaitBudget stays = new WaitBudget(0);
  private long now;

  /** A budget after a recovery line that began long ago. */
  private void begin(int iterationsAfterTheOther) {
    stays.begin(now);
    now += iterationsAfterTheOther * ITERATION;
    stays.begin(now);
  }

  private long next() {
    now += ITERATION;
    return stays.next(now, ITERATION);
  }

  @Test
  void waitsLittleAtFirstAndLongerWhileRanksMissEachOther() {
    begin(10_000);
    long[] lengths = new long[100];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = next();
    }
    assertThat(lengths).startsWith(100, 100, 100, 100, 200, 200, 200, 200, 400).endsWith(800, 800);
    begin(10_000);
    assertThat(next()).isEqualTo(100);
  }

  @Test
  void allWaitsAreASmallPartOfTheTimeSinceTheLastRecoveryLine() {
    begin(10);
    long all = 0;
    for (int i = 0; i < 1_000; i++) {
      all += next();
      assertThat(all).isLessThanOrEqualTo(ITERATION * (10 + i + 1) / 16);
    }
    assertThat(all).isGreaterThan(ITERATION * 1_000 / 20);
  }

  @Test
  void neverWaitsLongEnoughToLookLikeAHang() {
    stays.begin(0);
    stays.begin(Long.MAX_VALUE / 2);
    assertThat(stays.next(Long.MAX_VALUE / 2, Long.MAX_VALUE)).isEqualTo(WaitBudget.MAX_NANOS);
  }
}
