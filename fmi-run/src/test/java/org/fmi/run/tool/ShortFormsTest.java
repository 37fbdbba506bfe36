package org.fmi.run.tool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left to the library that parses options. What is not is tried by {@code FmiToolIT}. */
final class ShortFormsTest {
  private static final int USAGE = 64;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "version",
        "jobs --help",
        "jobs more",
        "status --help",
        "status --jsno",
        "status -h",
        "status one another",
        "stop",
        "statuses"
      })
  void mistakesAndOtherCommandsAreNotRun(String line) {
    assertThat(ShortForms.run(line.split(" ", -1))).isEmpty();
  }

  @Test
  void aJobThatIsNotThereIsRefusedAsByTheOtherWay() {
    assertThat(ShortForms.run("status", "--json", "no such job")).hasValue(USAGE);
  }
}
