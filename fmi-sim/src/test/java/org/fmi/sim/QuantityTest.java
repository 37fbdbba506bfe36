package org.fmi.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class QuantityTest {
  private static double parse(Quantity quantity, String text) {
    return quantity.parse("--x", text, 0, 1e18);
  }

  @Test
  void eachUnitIsRead() {
    assertThat(parse(Quantity.TIME, "90s")).isEqualTo(90);
    assertThat(parse(Quantity.TIME, "2.5 h")).isEqualTo(9000);
    assertThat(parse(Quantity.TIME, "50y")).isEqualTo(50 * 365 * 86400.0);
    assertThat(parse(Quantity.BYTES, "800kB")).isEqualTo(800_000);
    assertThat(parse(Quantity.RATE, "1Gbit/s")).isEqualTo(125e6);
    assertThat(parse(Quantity.SHARE, "5%")).isEqualTo(0.05);
    assertThat(parse(Quantity.COUNT, "1e4")).isEqualTo(10_000);
  }

  @Test
  void whatIsOutOfRangeIsToldTheRangeAndTheUnit() {
    assertThatThrownBy(() -> Quantity.TIME.parse("--mtbf", "0.1s", 1, 86400))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "--mtbf 0.1s: must be a time from 1 s to 1 d, as in 90s, 15min, 2h, 30d or 50y");
  }

  @Test
  void whatHasNoUnitOrAnotherOneIsRefused() {
    for (String text : new String[] {"5", "5x", "", "s", "-5s", "1e999s"}) {
      assertThatThrownBy(() -> parse(Quantity.TIME, text))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> parse(Quantity.COUNT, "1.5")).hasMessageContaining("a whole number");
  }

  @Test
  void itIsWrittenInTheGreatestUnitOfWhichItHasOne() {
    assertThat(Quantity.TIME.format(5400)).isEqualTo("1.50 h");
    assertThat(Quantity.TIME.format(0.0768)).isEqualTo("76.8 ms");
    assertThat(Quantity.BYTES.format(171e6)).isEqualTo("171 MB");
    assertThat(Quantity.SHARE.format(0.125)).isEqualTo("12.5%");
    assertThat(Quantity.COUNT.format(1024)).isEqualTo("1,024");
  }

  @Test
  void aRangeHasTheMultiplesOfItsFirst() {
    assertThat(Quantity.COUNT.parseList("--hosts", "10,100..350,1e3", 2, 1e5))
        .containsExactly(10.0, 100.0, 200.0, 300.0, 1000.0);
    assertThatThrownBy(() -> Quantity.COUNT.parseList("--hosts", "2..1e5", 2, 1e5))
        .hasMessageContaining("more than 1000 values");
    assertThatThrownBy(() -> Quantity.COUNT.parseList("--hosts", "100..50", 2, 1e5))
        .hasMessageContaining("from 100 to 100,000");
  }
}
