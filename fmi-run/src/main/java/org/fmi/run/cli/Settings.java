package org.fmi.run.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the user set, and where: flag before variable before file. Knows names, not what values
 * mean.
 */
final class Settings {
  /** Variables that begin with FMI_ and are no settings of a job. */
  private static final List<String> OTHER_VARIABLES = List.of("FMI_JAVA_HOME", "FMI_DAEMON_SOCKET");

  /** Of the help's lines, and where in them what is explained begins. */
  private static final int WIDTH = 80;

  private static final int MEANING_COLUMN = 26;

  /**
   * A value and where it came from.
   *
   * @param origin as the user knows it: the flag, the variable, or file, line and key
   * @param source 0 flag, 1 variable, 2 file: the lower one wins
   */
  record Value(List<String> texts, String origin, int source) {}

  private final Map<Setting, Value> values;
  private final List<String> program;

  private Settings(Map<Setting, Value> values, List<String> program) {
    this.values = values;
    this.program = program;
  }

  /** The value of a setting; null if it was set nowhere. */
  @Nullable Value get(Setting setting) {
    return values.get(setting);
  }

  /** What follows the options: the program and its arguments. */
  List<String> program() {
    return program;
  }

  static Settings read(List<String> args, Map<String, String> environment, Path file)
      throws UsageException {
    Map<Setting, Value> values = new EnumMap<>(Setting.class);
    readFile(file, values);
    readEnvironment(environment, values);
    List<String> program = readFlags(args, values);
    return new Settings(values, program);
  }

  static String help() {
    StringBuilder options = new StringBuilder();
    for (Setting setting : Setting.values()) {
      describe(setting, options);
    }
    return """
        Runs a Java program on N ranks and keeps it running when processes and nodes die.

        fmirun -n N [options] app.jar [args...]
        fmirun -n N [options] -cp PATH main.Class [args...]

        %s
        Each option is also a variable (%s for %s) and a key of conf/fmi.conf (%s);
        a flag goes before a variable, a variable before the file.
        """
        .formatted(options, Setting.MTBF.variable(), Setting.MTBF.flag(), Setting.MTBF.key());
  }

  /** Appends the lines that explain a setting, none longer than a terminal is wide. */
  private static void describe(Setting setting, StringBuilder out) {
    String name = "  " + setting.flag() + " " + setting.parameter();
    StringBuilder line = new StringBuilder(name);
    line.repeat(' ', Math.max(0, MEANING_COLUMN - 1 - name.length()));
    for (String word : setting.meaning().split(" ")) {
      if (line.length() + 1 + word.length() > WIDTH) {
        out.append(line).append('\n');
        line.setLength(0);
        line.repeat(' ', MEANING_COLUMN - 1);
      }
      line.append(' ').append(word);
    }
    out.append(line).append('\n');
  }

  /** Takes the flags from the front of the arguments; returns what follows them. */
  private static List<String> readFlags(List<String> args, Map<Setting, Value> values)
      throws UsageException {
    Map<Setting, List<String>> given = new EnumMap<>(Setting.class);
    int at = 0;
    while (at < args.size() && args.get(at).startsWith("-")) {
      String arg = args.get(at++);
      if (arg.equals("--")) {
        break;
      }
      int equals = arg.indexOf('=');
      String flag = equals < 0 ? arg : arg.substring(0, equals);
      Setting setting = find(flag, Setting::flag);
      if (setting == null) {
        throw new UsageException(
            flag
                + ": no such option; did you mean "
                + Nearest.to(flag, Arrays.stream(Setting.values()).map(Setting::flag).toList())
                + "? (fmirun --help)");
      }
      String text;
      if (setting.isSwitch()) {
        if (equals >= 0) {
          throw new UsageException(arg + ": takes no value; write " + flag);
        }
        text = "true";
      } else if (equals >= 0) {
        text = arg.substring(equals + 1);
      } else if (at < args.size() && find(args.get(at), Setting::flag) == null) {
        text = args.get(at++);
      } else {
        throw new UsageException(
            flag + ": its value is missing; write " + flag + " " + setting.parameter());
      }
      List<String> texts = given.computeIfAbsent(setting, _ -> new ArrayList<>());
      if (!texts.isEmpty() && !setting.repeatable()) {
        throw new UsageException(flag + ": given more than once; give it once");
      }
      texts.add(text);
    }
    given.forEach(
        (setting, texts) ->
            values.put(setting, new Value(List.copyOf(texts), setting.flag(), 0)));
    return List.copyOf(args.subList(at, args.size()));
  }

  private static void readEnvironment(Map<String, String> environment, Map<Setting, Value> values)
      throws UsageException {
    List<String> valid = new ArrayList<>(OTHER_VARIABLES);
    for (Setting setting : Setting.values()) {
      valid.add(setting.variable());
    }
    for (Map.Entry<String, String> entry : environment.entrySet()) {
      String name = entry.getKey();
      if (!name.startsWith("FMI_") || OTHER_VARIABLES.contains(name)) {
        continue;
      }
      Setting setting = find(name, Setting::variable);
      if (setting == null) {
        throw new UsageException(
            name
                + ": no such variable; did you mean "
                + Nearest.to(name, valid)
                + "? Unset it, or correct its name");
      }
      if (!entry.getValue().isBlank()) {
        values.put(setting, new Value(Arrays.asList(setting.split(entry.getValue())), name, 1));
      }
    }
  }

  private static void readFile(Path file, Map<Setting, Value> values) throws UsageException {
    List<String> lines;
    try {
      if (!Files.exists(file)) {
        return;
      }
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new UsageException(file + ": cannot be read (" + e + "); make it readable text");
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = file + ":" + (i + 1);
      int equals = line.indexOf('=');
      if (equals < 0) {
        throw new UsageException(where + ": '" + line + "' is not of the form key = value");
      }
      String key = line.substring(0, equals).strip();
      String text = line.substring(equals + 1).replaceFirst("\\s#.*", "").strip();
      Setting setting = find(key, Setting::key);
      if (setting == null) {
        throw new UsageException(
            where
                + ": "
                + key
                + ": no such key; did you mean "
                + Nearest.to(key, Arrays.stream(Setting.values()).map(Setting::key).toList())
                + "?");
      }
      if (!text.isEmpty()) {
        values.put(
            setting,
            new Value(Arrays.asList(setting.split(text)), where + ": " + setting.key(), 2));
      }
    }
  }

  private static @Nullable Setting find(String name, Function<Setting, String> naming) {
    for (Setting setting : Setting.values()) {
      if (name.equals(naming.apply(setting))) {
        return setting;
      }
    }
    return null;
  }
}
