package org.fmi.core.rollback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StandstillTest {
  private static final long VERSION = 5;

  private final Standstill standstill = new Standstill();

  private void goBack(long furthest) {
    standstill.begin(VERSION);
    standstill.rolledBack(furthest, standstill.front(), standstill.times());
  }

  private boolean isOne(long line, long iteration) {
    return standstill.isStuck(VERSION, line, iteration);
  }

  @Test
  void threeFailuresInARowAtOnePlaceAreAStandstill() {
    goBack(20);
    goBack(20);
    assertThat(isOne(10, 20)).isFalse();
    goBack(19);
    assertThat(isOne(10, 20)).isTrue();
    assertThat(isOne(10, 15)).isTrue();
    assertThat(isOne(10, 21)).as("has got further since").isFalse();
    standstill.clear();
    assertThat(isOne(10, 20)).isFalse();
  }

  @Test
  void aRankThatProgressesIsAtNoStandstill() {
    for (int furthest = 20; furthest < 40; furthest++) {
      goBack(furthest);
      goBack(furthest);
      assertThat(isOne(10, furthest)).isFalse();
    }
  }

  @Test
  void anotherCheckpointStartsOver() {
    for (int failure = 0; failure < 10; failure++) {
      goBack(20);
    }
    assertThat(standstill.isStuck(VERSION + 1, 15, 20)).isFalse();
    standstill.begin(VERSION + 1);
    assertThat(standstill.front()).isEqualTo(Standstill.NO_FRONT);
    assertThat(standstill.times()).isZero();
  }

  /** If the checkpoint is right before that iteration, none could be taken sooner. */
  @Test
  void noRankRollsBackWithoutEffect() {
    for (int failure = 0; failure < 10; failure++) {
      goBack(11);
    }
    assertThat(isOne(10, 11)).isFalse();
    assertThat(isOne(9, 11)).isTrue();
  }

  @Test
  void aNewProcessLearnsWhatOthersKnow() {
    goBack(20);
    goBack(20);
    Standstill other = new Standstill();
    other.begin(VERSION);
    other.rolledBack(20, standstill.front(), standstill.times());
    assertThat(other.isStuck(VERSION, 10, 12)).isTrue();
  }
}
