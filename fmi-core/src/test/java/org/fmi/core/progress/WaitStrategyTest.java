package org.fmi.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WaitStrategyTest {
  private static int pollsBeforeSleep(WaitStrategy w) {
    int polls = 0;
    while (w.idle() == 0) {
      polls++;
    }
    return polls;
  }

  @Test
  void spinsOnlyWhileThereIsACoreForEachRank() {
    assertThat(pollsBeforeSleep(new WaitStrategy(2, 2)))
        .isEqualTo(WaitStrategy.SPINS + WaitStrategy.YIELDS);
    assertThat(pollsBeforeSleep(new WaitStrategy(3, 2))).isEqualTo(WaitStrategy.YIELDS);
  }

  @Test
  void sleepsGrowUpToTheirBound() {
    WaitStrategy w = new WaitStrategy(3, 2);
    pollsBeforeSleep(w);
    assertThat(w.idle()).isEqualTo(2 * WaitStrategy.FIRST_SLEEP_NANOS);
    for (int i = 0; i < 100; i++) {
      w.idle();
    }
    assertThat(w.idle()).isEqualTo(WaitStrategy.LAST_SLEEP_NANOS);
    w.napFirst();
    assertThat(w.idle()).isEqualTo(WaitStrategy.FIRST_SLEEP_NANOS);
    w.reset();
    assertThat(pollsBeforeSleep(w)).isEqualTo(WaitStrategy.YIELDS);
  }

  @Test
  void onADedicatedCoreItPollsForATimeAndThenSleeps() {
    long[] now = {Long.MAX_VALUE - WaitStrategy.SPIN_NANOS / 2}; // a clock may overflow
    WaitStrategy w = WaitStrategy.onOwnCore(() -> now[0], () -> false);
    assertThat(w.mayWaitBusily()).isTrue();
    for (int i = 0; i < 1_000_000; i++) {
      assertThat(w.idle()).isZero();
    }
    now[0] += WaitStrategy.SPIN_NANOS - 1;
    assertThat(pollsIn(w, 200)).isEqualTo(200);
    now[0] += 1;
    assertThat(pollsBeforeSleep(w)).isLessThan(100);
    assertThat(w.spinning()).isFalse();
    assertThat(w.idle()).isEqualTo(2 * WaitStrategy.FIRST_SLEEP_NANOS);
  }

  @Test
  void onADedicatedCoreItYieldsOnlyForATransportThatNeedsIt() {
    WaitStrategy w = WaitStrategy.onOwnCore(() -> 0, () -> false);
    assertThat(w).hasToString("spin 1 ms, sleep");
    w.needsYields(true);
    assertThat(w).hasToString("spin 1 ms with yields, sleep");
    w.needsYields(false);
    assertThat(w).hasToString("spin 1 ms, sleep");
  }

  @Test
  void onADedicatedCoreItChecksNowAndThenWhetherToYield() {
    long[] now = {0};
    int[] asked = {0};
    WaitStrategy w = WaitStrategy.onOwnCore(() -> now[0], () -> ++asked[0] > 0);
    for (int look = 1; look < 5; look++) {
      w.reset();
      assertThat(pollsIn(w, 200)).isEqualTo(200);
      assertThat(asked[0]).isEqualTo(look);
      now[0] += WaitStrategy.LOOK_NANOS - 1;
      w.reset();
      assertThat(pollsIn(w, 200)).isEqualTo(200);
      assertThat(asked[0]).isEqualTo(look);
      now[0] += 1;
    }
  }

  @Test
  void workRestartsPollingOnADedicatedCore() {
    long[] now = {0};
    WaitStrategy w = WaitStrategy.onOwnCore(() -> now[0], () -> false);
    for (int round = 0; round < 3; round++) {
      assertThat(pollsIn(w, 200)).isEqualTo(200);
      now[0] += WaitStrategy.SPIN_NANOS - 1;
      assertThat(pollsIn(w, 200)).isEqualTo(200);
      w.reset();
    }
    assertThat(pollsIn(w, 200)).isEqualTo(200);
    now[0] += WaitStrategy.SPIN_NANOS;
    assertThat(pollsBeforeSleep(w)).isLessThan(100);
    w.reset();
    assertThat(w.spinning()).isTrue();
    assertThat(pollsIn(w, 200)).isEqualTo(200);
  }

  /** The number of polls before a sleep, at most {@code most}. */
  private static int pollsIn(WaitStrategy w, int most) {
    int polls = 0;
    while (polls < most && w.idle() == 0) {
      polls++;
    }
    return polls;
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> new WaitStrategy(0, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
