package org.fmi.run.options;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The settings given by the user, and their origins: a flag overrides a variable, a variable
 * overrides the file. Knows names, not the meaning of values.
 */
public final class Settings {
  /** Variables that begin with FMI_ but are not settings of a job. */
  private static final List<String> OTHER_VARIABLES =
      List.of("FMI_JAVA_HOME", "FMI_DAEMON_SOCKET", "FMI_DISNI_LIB");

  /** The prefix of the variables of dev/rdma-vm. */
  private static final String VM_VARIABLES = "FMI_VM_";

  /** Options of java. */
  private static final Pattern OF_THE_JVM =
      Pattern.compile("-(X|D\\w|-add-|-enable-|ea\\b|da\\b|agent|javaagent|verbose:).*");

  /** The request of the user. */
  public enum Request {
    RUN,
    HELP,
    VERSION
  }

  /**
   * A value and its origin.
   *
   * @param origin its origin for the user: the flag, the variable, or file, line and key
   * @param source 0 flag, 1 variable, 2 file: the lower one overrides
   */
  record Value(List<String> texts, String origin, int source) {}

  private final Map<Setting, Value> values;
  private final List<String> program;
  private final Request request;

  private Settings(Request request, Map<Setting, Value> values, List<String> program) {
    this.request = request;
    this.values = values;
    this.program = program;
  }

  /** Returns the request of the user. Unless it is to run a program, nothing else is known. */
  public Request request() {
    return request;
  }

  /** Returns the value of a setting; null if it was not set. */
  @Nullable Value get(Setting setting) {
    return values.get(setting);
  }

  /** Returns the words after the options: the program and its arguments. */
  List<String> program() {
    return program;
  }

  public static Settings read(List<String> args, Map<String, String> environment, Path file)
      throws UsageException {
    CommandLine.ParseResult flags = parse(args);
    Map<Setting, Value> values = new EnumMap<>(Setting.class);
    if (flags.isUsageHelpRequested() || flags.isVersionHelpRequested()) {
      // Help is printed even if something else is wrong.
      return new Settings(
          flags.isUsageHelpRequested() ? Request.HELP : Request.VERSION, values, List.of());
    }
    readFile(file, values);
    readEnvironment(environment, values);
    readFlags(flags, values);
    return new Settings(
        Request.RUN, values, List.copyOf(flags.matchedPositionalValue(0, List.<String>of())));
  }

  public static String help() {
    CommandLine command = new CommandLine(spec());
    CommandLine.Help help = new CommandLine.Help(command.getCommandSpec(), Ansi.OFF);
    return """
    Runs a Java program on N ranks and keeps it running when processes and nodes die.

    fmirun -n N [options] app.jar [args...]
    fmirun -n N [options] -cp PATH main.Class [args...]

    %s
    Each option is also a variable (%s for %s) and a key of conf/fmi.conf (%s);
    a flag wins over a variable, a variable over the file.
    """
        .formatted(
            help.optionList(), Setting.MTBF.variable(), Setting.MTBF.flag(), Setting.MTBF.key());
  }

  private static CommandLine.ParseResult parse(List<String> args) throws UsageException {
    CommandLine command = new CommandLine(spec());
    command.setStopAtPositional(true);
    // An argument of the program may begin with @.
    command.setExpandAtFiles(false);
    command.setPosixClusteredShortOptionsAllowed(false);
    try {
      return command.parseArgs(args.toArray(String[]::new));
    } catch (CommandLine.UnmatchedArgumentException e) {
      String unknown = e.getUnmatched().getFirst();
      if (OF_THE_JVM.matcher(unknown).matches()) {
        throw new UsageException(
            unknown
                + ": an option of the JVM, not of fmirun; for the JVMs of the ranks write "
                + Setting.JVM_OPTION.flag()
                + " "
                + unknown);
      }
      throw new UsageException(
          unknown
              + ": no such option"
              + Nearest.question(
                  unknown.replaceFirst("=.*", ""), command.getCommandSpec().optionsMap().keySet())
              + " (fmirun --help)");

    } catch (CommandLine.OverwrittenOptionException e) {
      throw new UsageException(overwritten(e));
    } catch (CommandLine.MissingParameterException e) {
      CommandLine.Model.ArgSpec missing = e.getMissing().getFirst();
      throw new UsageException(
          missing instanceof OptionSpec option
              ? option.longestName()
                  + ": its value is missing; write "
                  + option.longestName()
                  + " "
                  + option.paramLabel()
              : String.valueOf(e.getMessage()));
    } catch (CommandLine.ParameterException e) {
      throw new UsageException(e.getMessage() + " (fmirun --help)");
    }
  }

  private static void readFlags(CommandLine.ParseResult result, Map<Setting, Value> values) {
    for (Setting setting : Setting.values()) {
      if (result.hasMatchedOption(setting.flag())) {
        List<String> texts =
            setting.isSwitch()
                ? List.of("true")
                : List.copyOf(result.matchedOption(setting.flag()).originalStringValues());
        values.put(setting, new Value(texts, setting.flag(), 0));
      }
    }
  }

  private static String overwritten(CommandLine.OverwrittenOptionException e) {
    return e.getOverwritten() instanceof OptionSpec option
        ? option.longestName() + ": given more than once; give it once"
        : String.valueOf(e.getMessage());
  }

  /** Returns the options, for the help and for shell completion. */
  public static CommandSpec spec() {
    CommandSpec spec = CommandSpec.create().name("fmirun");
    spec.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("show this help").build());
    spec.addOption(
        OptionSpec.builder("--version").versionHelp(true).description("show the version").build());
    for (Setting setting : Setting.values()) {
      OptionSpec.Builder option = OptionSpec.builder(setting.flag()).description(setting.meaning());
      if (setting.isSwitch()) {
        option.type(boolean.class).arity("0");
      } else if (setting.repeatable()) {
        option.type(List.class).auxiliaryTypes(String.class).arity("1");
        option.paramLabel(setting.parameter());
      } else {
        option.type(String.class).arity("1").paramLabel(setting.parameter());
      }
      spec.addOption(option.build());
    }
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("0..*")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .hidden(true)
            .build());
    return spec;
  }

  private static void readEnvironment(Map<String, String> environment, Map<Setting, Value> values)
      throws UsageException {
    List<String> valid = new ArrayList<>(OTHER_VARIABLES);
    for (Setting setting : Setting.values()) {
      valid.add(setting.variable());
    }
    for (Map.Entry<String, String> entry : environment.entrySet()) {
      String name = entry.getKey();
      if (!name.startsWith("FMI_")
          || name.startsWith(VM_VARIABLES)
          || OTHER_VARIABLES.contains(name)) {
        continue;
      }
      Setting setting = find(name, true);
      if (setting == null) {
        throw new UsageException(
            name
                + ": FMI has no such variable; unset it, or correct its name"
                + Nearest.question(name, valid));
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
      Setting setting = find(key, false);
      if (setting == null) {
        throw new UsageException(
            where
                + ": "
                + key
                + ": no such key"
                + Nearest.question(
                    key, Arrays.stream(Setting.values()).map(Setting::key).toList()));
      }
      if (!text.isEmpty()) {
        values.put(
            setting,
            new Value(Arrays.asList(setting.split(text)), where + ": " + setting.key(), 2));
      }
    }
  }

  private static @Nullable Setting find(String name, boolean variable) {
    for (Setting setting : Setting.values()) {
      if (name.equals(variable ? setting.variable() : setting.key())) {
        return setting;
      }
    }
    return null;
  }
}
