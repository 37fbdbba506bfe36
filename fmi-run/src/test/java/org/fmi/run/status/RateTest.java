package org.fmi.run.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RateTest {
  private static final long SECOND = 1_000_000_000;

  private final Rate rate = new Rate();

  @Test
  void isNotKnownBeforeTheCounterHasGrown() {
    assertThat(rate.perSecond(0)).isNegative();
    rate.at(5, 0);
    rate.at(5, SECOND);
    assertThat(rate.perSecond(SECOND)).isNegative();
  }

  @Test
  void isThatOfTheLastSeconds() {
    long value = 0;
    for (int second = 0; second < 100; second++) {
      rate.at(value += second < 50 ? 10 : 40, second * SECOND);
    }
    assertThat(rate.perSecond(99 * SECOND)).isEqualTo(40);
  }

  @Test
  void aSlowCounterIsMeasuredBetweenItsLastSteps() {
    for (int second = 0; second <= 120; second++) {
      rate.at(second / 30, second * SECOND);
    }
    assertThat(rate.perSecond(130 * SECOND)).isEqualTo(1 / 30.0);
  }

  @Test
  void fallsWhenTheCounterStandsStill() {
    rate.at(0, 0);
    rate.at(100, 10 * SECOND);
    assertThat(rate.perSecond(15 * SECOND)).isEqualTo(10);
    assertThat(rate.perSecond(110 * SECOND)).isEqualTo(1);
  }

  @Test
  void aCounterThatGoesBackIsMeasuredAnew() {
    rate.at(0, 0);
    rate.at(100, 10 * SECOND);
    rate.at(50, 11 * SECOND);
    assertThat(rate.perSecond(11 * SECOND)).isNegative();
    rate.at(51, 12 * SECOND);
    assertThat(rate.perSecond(12 * SECOND)).isEqualTo(1);
  }
}
