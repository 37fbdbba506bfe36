package org.fmi.job.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

final class LocalRanksTest {
  private final LocalRanks local = new LocalRanks();

  @Test
  void ranksAreNumberedAsTheyCome() {
    assertThat(local.choose(4, Set.of())).isZero();
    assertThat(local.choose(5, Set.of(4))).isEqualTo(1);
    assertThat(local.choose(6, Set.of(4, 5))).isEqualTo(2);
  }

  @Test
  void aRankThatComesBackHasTheNumberThatItHad() {
    local.choose(4, Set.of());
    local.choose(5, Set.of(4));
    assertThat(local.choose(5, Set.of())).isEqualTo(1);
    assertThat(local.choose(4, Set.of(5))).isZero();
  }

  @Test
  void noTwoThatAreThereHaveTheSame() {
    local.choose(4, Set.of());
    assertThat(local.choose(9, Set.of())).isZero();
    assertThat(local.choose(4, Set.of(9))).isEqualTo(1);
  }
}
