package org.fmi.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AmountsTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0.0 s",
    "9.94, 9.9 s",
    "9.96, 10 s",
    "119.4, 119 s",
    "120, 2 min",
    "7199, 120 min",
    "7200, 2 h 00 min",
    "11100, 3 h 05 min",
    "198000, 2 d 7 h"
  })
  void durations(double seconds, String text) {
    assertThat(Amounts.duration(seconds)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 B",
    "999, 999 B",
    "1000, 1.0 KiB",
    "67108864, 64 MiB",
    "1072693248, 1.0 GiB",
    "9223372036854775807, 8388608 TiB"
  })
  void sizes(long bytes, String text) {
    assertThat(Amounts.bytes(bytes)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0.1234, 0.123", "0.9949, 0.995", "1, 1.00", "35.24, 35.2", "4120.4, 4120"})
  void rates(double perSecond, String text) {
    assertThat(Amounts.rate(perSecond)).isEqualTo(text);
  }
}
