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
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> new WaitStrategy(0, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
