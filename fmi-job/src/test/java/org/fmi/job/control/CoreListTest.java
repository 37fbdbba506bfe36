package org.fmi.job.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CoreListTest {
  @Test
  void readsNumbersAndRanges() {
    assertThat(CoreList.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
    assertThat(CoreList.parse("5,2-3,3")).containsExactly(2, 3, 5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "7", "0-1", "0-3,8,10-11", "1,3,5", "127-128,130"})
  void writesWhatItReads(String list) {
    assertThat(CoreList.format(CoreList.parse(list))).isEqualTo(list);
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "-", "1-", "-1", "3-2", "1-2-3", "1,,2", ",", "1 2"})
  void refusesWhatIsNoList(String list) {
    assertThatIllegalArgumentException().isThrownBy(() -> CoreList.parse(list));
  }
}
