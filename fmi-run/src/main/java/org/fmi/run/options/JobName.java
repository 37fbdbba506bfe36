package org.fmi.run.options;

import java.util.regex.Pattern;
import org.fmi.run.options.Settings.Value;

/** The user's name for a job: {@code --name}. */
final class JobName {
  /** One word in each table and on each command line. */
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,31}");

  private JobName() {}

  /** Returns the name; empty if there is none. */
  static String of(Settings settings) throws UsageException {
    Value value = settings.get(Setting.NAME);
    if (value == null) {
      return "";
    }
    String name = value.texts().getFirst();
    if (!VALID.matcher(name).matches()) {
      throw new UsageException(
          value.origin()
              + " "
              + name
              + ": use a letter or digit followed by up to 31 letters, digits, dots, underscores"
              + " and hyphens");
    }
    return name;
  }
}
