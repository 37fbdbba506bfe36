package org.fmi.run.options;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.fmi.run.docs.Markdown;
import org.junit.jupiter.api.Test;

/** The table of options in docs/reference.md has a row per {@link Setting}, and no other. */
final class OptionsTableTest {
  private static final Pattern DEFAULT = Pattern.compile("\\(default:? (\\w+)");

  private final List<List<String>> rows =
      Markdown.of("docs/reference.md").table("option", "variable", "key", "default", "meaning");

  private static String code(List<String> row, int column) {
    return Markdown.code(row.get(column)).getFirst();
  }

  @Test
  void itNamesEachOptionItsVariableAndItsKey() {
    assertThat(rows.stream().map(row -> code(row, 0) + ", " + code(row, 1) + ", " + code(row, 2)))
        .containsExactlyElementsOf(
            Stream.of(Setting.values())
                .map(
                    s ->
                        (s.flag() + " " + s.parameter()).strip()
                            + ", "
                            + s.variable()
                            + ", "
                            + s.key())
                .toList());
  }

  private List<String> row(Setting setting) {
    return rows.stream()
        .filter(row -> code(row, 1).equals(setting.variable()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no row of " + setting));
  }

  @Test
  void itGivesTheDefaultsOfTheHelp() {
    for (Setting setting : Setting.values()) {
      Matcher help = DEFAULT.matcher(setting.meaning());
      if (help.find()) {
        assertThat(row(setting).get(3)).as("%s", setting).contains(help.group(1));
      }
    }
  }

  @Test
  void itSaysWhatMayBeRepeated() {
    for (Setting setting : Setting.values()) {
      assertThat(row(setting).get(4).endsWith("repeatable"))
          .as("%s", setting)
          .isEqualTo(setting.repeatable());
    }
  }
}
