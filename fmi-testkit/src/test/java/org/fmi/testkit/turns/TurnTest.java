package org.fmi.testkit.turns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TurnTest {
  @Test
  void aBuildMakesWhatItAlwaysMakesUnlessItIsWide() {
    assertThat(new Turn(false, "0/1").isMade(true, "a")).isTrue();
    assertThat(new Turn(false, "0/1").isMade(false, "a")).isFalse();
    assertThat(new Turn(true, "0/1").isMade(true, "a")).isFalse();
    assertThat(new Turn(true, "0/1").isMade(false, "a")).isTrue();
  }

  @Test
  void thePartsOfAWideBuildRunEachTestOnce() {
    for (int i = 0; i < 100; i++) {
      String name = "name " + i;
      assertThat(IntStream.range(0, 4).filter(k -> new Turn(true, k + "/4").isMade(false, name)))
          .hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"4/4", "-1/4", "2", "0/0"})
  void refusesInvalidParts(String part) {
    assertThatThrownBy(() -> new Turn(true, part))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fmi.tests.part=" + part);
  }
}
