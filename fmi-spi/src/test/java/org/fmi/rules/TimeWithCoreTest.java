package org.fmi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.fmi.rules.TimeWithCore.Look;
import org.junit.jupiter.api.Test;

/** On the test's own clock. */
class TimeWithCoreTest {
  private static final long LIMIT = 1600;

  private final TimeWithCore time = new TimeWithCore(LIMIT, 7);
  private final long pause = time.pause();
  private long now = 7;

  /** Checks so many times, always in time, and returns the number of checks until the end. */
  private int looks(int most, Look look) {
    for (int i = 1; i <= most; i++) {
      now += pause;
      time.add(now, look);
      if (time.isOver()) {
        return i;
      }
    }
    return most + 1;
  }

  @Test
  void aProcessThatWaitsForSomethingElseHasTheLimit() {
    assertThat(looks(100, new Look(false, 0))).isEqualTo(16);
    assertThat(time.starved()).isZero();
  }

  @Test
  void oneThatWaitsForACoreHasAnyTime() {
    assertThat(looks(1000, new Look(true, 0))).isEqualTo(1001);
    assertThat(time.starved()).isEqualTo(1000 * pause);
    assertThat(looks(100, new Look(false, 0))).as("then it hangs").isEqualTo(16);
  }

  @Test
  void countsTimeOnACore() {
    long used = 0;
    int looks = 0;
    while (!time.isOver()) {
      now += pause;
      used += pause / 10;
      time.add(now, new Look(true, used));
      looks++;
    }
    assertThat(looks).isEqualTo(160);
  }

  @Test
  void oneThatComputesWithoutAnEndHasTheLimit() {
    long used = 1_000_000;
    for (int i = 0; i < 16; i++) {
      assertThat(time.isOver()).isFalse();
      now += pause;
      used += 3 * pause; // three threads
      time.add(now, new Look(true, used));
    }
    assertThat(time.isOver()).isTrue();
    assertThat(time.starved()).isZero();
  }

  @Test
  void aLateCheckCountsAtMostOnePause() {
    for (int i = 0; i < 15; i++) {
      now += 50 * LIMIT;
      time.add(now, Look.UNSEEN);
    }
    assertThat(time.isOver()).isFalse();
    assertThat(time.starved()).isEqualTo(15 * (50 * LIMIT - pause));
  }

  @Test
  void aProcessThatDoesSomethingHasTheLimitAgain() {
    assertThat(looks(15, Look.UNSEEN)).isEqualTo(16);
    time.begin();
    assertThat(looks(100, Look.UNSEEN)).isEqualTo(16);
  }

  @Test
  void aProcessThatTakesTheNumberOfAnotherOneIsCountedAnew() {
    now += pause;
    time.add(now, new Look(true, 1_000_000));
    assertThat(looks(1000, new Look(true, 5))).as("it had no core").isEqualTo(1001);
  }

  @Test
  void theClockMayWrapAround() {
    TimeWithCore wrapping = new TimeWithCore(LIMIT, Long.MAX_VALUE - pause);
    wrapping.add(Long.MIN_VALUE + 1, Look.UNSEEN);
    assertThat(wrapping.starved()).isEqualTo(2);
  }
}
