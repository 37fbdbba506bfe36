package org.fmi.run.options;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.fmi.run.options.Settings.Value;
import org.jspecify.annotations.Nullable;

/** Converts texts of settings to values, with one method per kind of value. */
abstract class SettingReader {
  final Settings settings;
  final Path directory;

  /**
   * @param directory base of relative paths
   */
  SettingReader(Settings settings, Path directory) {
    this.settings = settings;
    this.directory = directory;
  }

  /** Returns the winner of two settings that exclude each other; null if neither is set. */
  final @Nullable Setting exclusive(Setting a, Setting b) throws UsageException {
    Value first = settings.get(a);
    Value second = settings.get(b);
    if (first == null || second == null) {
      return first != null ? a : second != null ? b : null;
    }
    if (first.source() == second.source()) {
      throw new UsageException(
          first.origin() + " and " + second.origin() + " exclude each other; omit one");
    }
    return first.source() < second.source() ? a : b;
  }

  final @Nullable Path path(Setting setting) {
    Value value = settings.get(setting);
    return value == null ? null : directory.resolve(value.texts().getFirst());
  }

  final List<String> texts(Setting setting) {
    Value value = settings.get(setting);
    return value == null ? List.of() : value.texts();
  }

  final boolean on(Setting setting) throws UsageException {
    Value value = settings.get(setting);
    if (value == null) {
      return false;
    }
    String text = value.texts().getFirst();
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "yes", "on", "1" -> true;
      case "false", "no", "off", "0" -> false;
      default -> throw notOneOf(setting, text, "true", "false");
    };
  }

  final String choice(Setting setting, String otherwise, String... valid) throws UsageException {
    Value value = settings.get(setting);
    if (value == null) {
      return otherwise;
    }
    String text = value.texts().getFirst();
    if (!List.of(valid).contains(text)) {
      throw notOneOf(setting, text, valid);
    }
    return text;
  }

  /** Returns a setting and its value, by the name that the user used. */
  final String given(Setting setting, Object text) {
    Value value = settings.get(setting);
    return (value == null ? setting.flag() : value.origin()) + " " + text;
  }

  final UsageException notOneOf(Setting setting, String text, String... valid) {
    return new UsageException(
        given(setting, text)
            + ": not one of "
            + String.join(", ", valid)
            + Nearest.question(text, List.of(valid)));
  }

  final int whole(Setting setting, int least, int most, int otherwise) throws UsageException {
    Value value = settings.get(setting);
    if (value == null) {
      return otherwise;
    }
    String text = value.texts().getFirst();
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // continues with the refusal
    }
    throw new UsageException(
        value.origin()
            + " "
            + text
            + ": not a whole number "
            + (most == Integer.MAX_VALUE ? "of at least " + least : "from " + least + " to " + most)
            + "; "
            + setting.flag()
            + " "
            + setting.parameter()
            + " means: "
            + setting.meaning());
  }

  final long millis(Setting setting, double otherwise) throws UsageException {
    return Math.round(1000 * decimal(setting, 0, 1e9, otherwise));
  }

  final double decimal(Setting setting, double least, double most, double otherwise)
      throws UsageException {
    Value value = settings.get(setting);
    if (value == null) {
      return otherwise;
    }
    String text = value.texts().getFirst();
    try {
      double number = Double.parseDouble(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // continues with the refusal
    }
    throw new UsageException(
        value.origin()
            + " "
            + text
            + ": not a number of seconds from "
            + least
            + " to "
            + most
            + "; write it as in "
            + setting.flag()
            + " 60");
  }
}
