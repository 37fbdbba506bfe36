package org.fmi.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class StaysTest {
  private final Stays stays = new Stays();

  private long after(int before) {
    for (int i = 0; i < before; i++) {
      long _ = stays.next(1);
    }
    return stays.next(1600);
  }

  @Test
  void aSmallPartOfAnIterationAtFirst() {
    assertThat(stays.next(1600)).isEqualTo(100);
    assertThat(stays.next(3200)).isEqualTo(200);
  }

  @Test
  void longerWhileRanksMissEachOther() {
    assertThat(after(16)).isEqualTo(200);
    assertThat(after(16)).isEqualTo(400);
    assertThat(after(1000)).as("half of it at most").isEqualTo(800);
    stays.begin();
    assertThat(stays.next(1600)).isEqualTo(100);
  }

  @Test
  void neverSoLongThatItLooksLikeAStandstill() {
    assertThat(stays.next(Long.MAX_VALUE)).isEqualTo(Stays.MOST_NANOS);
  }
}
