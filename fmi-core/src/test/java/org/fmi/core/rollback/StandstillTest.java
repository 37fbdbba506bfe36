package org.fmi.core.rollback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StandstillTest {
  private static final long VERSION = 5;

  private final Standstill standstill = new Standstill();

  private void goBack(long furthest) {
    standstill.begin(VERSION);
    standstill.goBack(furthest, standstill.front(), standstill.times());
  }

  private boolean isOne(long line, long iteration) {
    return standstill.isOne(VERSION, line, iteration);
  }

  @Test
  void threeFailuresInARowAtOnePlaceAreOne() {
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
  void whoGetsFurtherIsAtNone() {
    for (int furthest = 20; furthest < 40; furthest++) {
      goBack(furthest);
      goBack(furthest);
      assertThat(isOne(10, furthest)).isFalse();
    }
  }

  @Test
  void anotherCheckpointBeginsAnew() {
    for (int failure = 0; failure < 10; failure++) {
      goBack(20);
    }
    assertThat(standstill.isOne(VERSION + 1, 15, 20)).isFalse();
    standstill.begin(VERSION + 1);
    assertThat(standstill.front()).isEqualTo(Standstill.NOWHERE);
    assertThat(standstill.times()).isZero();
  }

  /** Where the checkpoint is right before that iteration, none could come sooner. */
  @Test
  void nobodyGoesBackInVain() {
    for (int failure = 0; failure < 10; failure++) {
      goBack(11);
    }
    assertThat(isOne(10, 11)).isFalse();
    assertThat(isOne(9, 11)).isTrue();
  }

  @Test
  void aNewProcessIsToldWhatOthersKnow() {
    goBack(20);
    goBack(20);
    Standstill other = new Standstill();
    other.begin(VERSION);
    other.goBack(20, standstill.front(), standstill.times());
    assertThat(other.isOne(VERSION, 10, 12)).isTrue();
  }
}
