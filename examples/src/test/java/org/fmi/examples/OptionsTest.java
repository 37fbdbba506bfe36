package org.fmi.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.fmi.Fmi;
import org.fmi.junit.FmiTest;
import org.junit.jupiter.api.extension.RegisterExtension;

class OptionsTest {
  private static final int WRONG_USAGE = 2;

  private static final String HELP =
      """
      sample - shows options

        --count N   a number
        --fast      a flag
        --help      show this and end
      """;

  private enum Color {
    RED,
    BLUE
  }

  @RegisterExtension private final Console console = new Console();

  private static Options parse(Fmi fmi, String... args) {
    return Objects.requireNonNull(Options.parse(fmi.world(), HELP, args));
  }

  @FmiTest(ranks = 1)
  void readsValuesAndFlags(Fmi fmi) {
    Options options = parse(fmi, "--count", "7", "--fast");
    assertThat(options.integer("--count", 1, 0, 10)).isEqualTo(7);
    assertThat(options.has("--fast")).isTrue();
    assertThat(parse(fmi).integer("--count", 1, 0, 10)).isEqualTo(1);
    assertThat(parse(fmi).has("--fast")).isFalse();
    assertThat(parse(fmi).choice("--count", Color.BLUE)).isEqualTo(Color.BLUE);
    assertThat(parse(fmi, "--count", "RED").choice("--count", Color.BLUE)).isEqualTo(Color.RED);
  }

  @FmiTest(ranks = 2)
  void rankZeroShowsHelp(Fmi fmi) {
    assertThat(Options.parse(fmi.world(), HELP, "--fast", "--help")).isNull();
    fmi.world().barrier();
    assertThat(console.text()).isEqualTo(HELP);
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesUnknownOptions(Fmi fmi) {
    parse(fmi, "--fats");
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesWhatIsNoOption(Fmi fmi) {
    parse(fmi, "stray");
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesAMissingValue(Fmi fmi) {
    parse(fmi, "--count");
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesWhatIsNoNumber(Fmi fmi) {
    parse(fmi, "--count", "x").integer("--count", 1, 0, 10);
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesANumberOutOfRange(Fmi fmi) {
    parse(fmi, "--count", "11").integer("--count", 1, 0, 10);
  }

  @FmiTest(ranks = 2, abortsWith = WRONG_USAGE)
  void refusesWhatIsNoChoice(Fmi fmi) {
    parse(fmi, "--count", "GREEN").choice("--count", Color.BLUE);
  }
}
