package org.fmi.core.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThresholdOverridesTest {
  @Test
  void replacesOnlyWhatIsNamed() {
    ThresholdOverrides overrides = new ThresholdOverrides("A=0,C=4611686018427387904");
    assertThat(overrides.of("A", 5)).isZero();
    assertThat(overrides.of("B", 6)).isEqualTo(6);
    assertThat(overrides.of("C", 7)).isEqualTo(1L << 62);
    overrides.refuseUnknown();
  }

  @Test
  void replacesNothingByItself() {
    ThresholdOverrides overrides = new ThresholdOverrides("");
    assertThat(overrides.of("A", 5)).isEqualTo(5);
    overrides.refuseUnknown();
  }

  @Test
  void refusesUnknownNames() {
    ThresholdOverrides overrides = new ThresholdOverrides("A=1,BB=2");
    overrides.of("B", 6);
    overrides.of("A", 5);
    assertThatIllegalArgumentException()
        .isThrownBy(overrides::refuseUnknown)
        .withMessage("fmi.thresholds: 'BB' is not a threshold; there are A, B");
  }

  @ParameterizedTest
  @ValueSource(strings = {"A=", "A=x", "A=16k", "A=1.5", "A=-1", "A=9223372036854775808"})
  void refusesWhatIsNoNumber(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ThresholdOverrides(text))
        .withMessage(
            "fmi.thresholds: %s: '%s' is not a number of 0 or more", text, text.substring(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"A", "A=1,", ",A=1", "A=1;B=2,C"})
  void refusesWhatIsNoPair(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> new ThresholdOverrides(text));
  }

  @Test
  void refusesAmbiguity() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ThresholdOverrides("A=1,A=1"))
        .withMessage("fmi.thresholds: A is given twice");
  }
}
