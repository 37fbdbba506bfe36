package org.fmi.net;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeartbeatTest {
  private static final long TIMEOUT = 1000;

  // Clocks begin anywhere, and overflow.
  private static final long BEGIN = Math.subtractExact(Long.MAX_VALUE, 700);

  private final Heartbeat heartbeat = new Heartbeat(TIMEOUT, BEGIN);

  @Test
  void reportsTooLongSilence() {
    for (int elapsed = 250; elapsed <= 1000; elapsed += 250) {
      assertThat(heartbeat.silence(BEGIN + elapsed)).as("after %s", elapsed).isZero();
    }
    assertThat(heartbeat.silence(BEGIN + 1250)).isEqualTo(1250);
  }

  @Test
  void aSendingPeerIsNotSilent() {
    for (int elapsed = 250; elapsed <= 10_000; elapsed += 250) {
      if (elapsed % 1000 == 0) {
        heartbeat.received(BEGIN + elapsed);
      }
      assertThat(heartbeat.silence(BEGIN + elapsed)).as("after %s", elapsed).isZero();
    }
    assertThat(heartbeat.silence(BEGIN + 10_250)).isZero();
  }

  @Test
  void aLateCheckAccusesNoPeer() {
    assertThat(heartbeat.silence(BEGIN + 250)).isZero();
    // Stopped for a minute; data that the peer has sent meanwhile is unread.
    long late = BEGIN + 60_000;
    assertThat(heartbeat.silence(late)).isZero();
    for (int elapsed = 250; elapsed <= 1000; elapsed += 250) {
      assertThat(heartbeat.silence(late + elapsed)).as("%s after that", elapsed).isZero();
    }
    assertThat(heartbeat.silence(late + 1250)).isEqualTo(1250);
  }

  @Test
  void timeInWhichItWasLateItselfDoesNotCount() {
    long now = BEGIN;
    for (int look = 1; look <= 4; look++) {
      now += 250 + 400; // each time it waits 400 for a core
      assertThat(heartbeat.silence(now)).as("look %s, at %s", look, now - BEGIN).isZero();
    }
    assertThat(heartbeat.silence(now + 250)).isEqualTo(1250);
  }

  @Test
  void arrivalsAreNotMovedIntoTheFuture() {
    heartbeat.received(BEGIN + 600);
    assertThat(heartbeat.silence(BEGIN + 650)).isZero(); // late by 400, of which 50 since then
    for (int elapsed = 250; elapsed <= 1000; elapsed += 250) {
      assertThat(heartbeat.silence(BEGIN + 650 + elapsed)).isZero();
    }
    assertThat(heartbeat.silence(BEGIN + 1900)).isEqualTo(1250);
  }

  @Test
  void aStarvedPeerHasMoreTimeButNotForEver() {
    long told = 0;
    int elapsed = 0;
    while (told == 0) {
      elapsed += 250;
      told = heartbeat.silence(BEGIN + elapsed, () -> true);
    }
    assertThat(told).isEqualTo(Heartbeat.PATIENCE * TIMEOUT + 250);
  }

  @Test
  void aPeerThatStaysSilentWithACoreIsDead() {
    for (int elapsed = 250; elapsed <= 3000; elapsed += 250) {
      assertThat(heartbeat.silence(BEGIN + elapsed, () -> true)).isZero();
    }
    assertThat(heartbeat.silence(BEGIN + 3250, () -> false)).isEqualTo(3250);
  }

  @Test
  void whetherAPeerIsStarvedIsAskedOnlyWhenItIsSilent() {
    for (int elapsed = 250; elapsed <= 500; elapsed += 250) {
      heartbeat.silence(
          BEGIN + elapsed,
          () -> {
            throw new AssertionError("asked");
          });
    }
  }
}
