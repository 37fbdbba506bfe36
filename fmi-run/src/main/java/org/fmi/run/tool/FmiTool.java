package org.fmi.run.tool;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.fmi.run.Transports;
import org.fmi.run.doctor.Doctor;
import org.fmi.run.options.Nearest;
import org.fmi.run.simulate.SimulateCommand;
import org.fmi.run.timeline.TimelineCommand;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The main class of {@code fmi}: commands that do not run a program. */
public final class FmiTool {
  private static final int USAGE = 64;
  private static final int FAILED = 70;

  private FmiTool() {}

  public static void main(String[] args) {
    int status = run(args);
    System.out.flush();
    System.err.flush();
    // Not exit, as in fmirun.
    Runtime.getRuntime().halt(status);
  }

  private static int run(String... args) {
    CommandLine command = new CommandLine(spec(args.length == 0 ? "" : args[0]));
    command.setExpandAtFiles(false);
    command.setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF));
    if (args.length == 0) {
      command.usage(System.out);
      return USAGE;
    }
    command.setParameterExceptionHandler((e, _) -> refuse(e));
    return command.execute(args);
  }

  private static Map<String, Supplier<CommandSpec>> commands() {
    Map<String, Supplier<CommandSpec>> commands = new LinkedHashMap<>();
    commands.put("jobs", Jobs::list);
    commands.put("status", Jobs::status);
    commands.put("events", Jobs::events);
    commands.put("stack", Jobs::stack);
    commands.put("kick", Jobs::kick);
    commands.put("checkpoint", Jobs::checkpoint);
    commands.put("drain", Jobs::drain);
    commands.put("undrain", Jobs::undrain);
    commands.put("add", Jobs::add);
    commands.put("stop", Jobs::stop);
    commands.put("ckpt", CheckpointFiles::spec);
    commands.put("timeline", TimelineCommand::spec);
    commands.put("simulate", SimulateCommand::spec);
    commands.put("new", NewProject::spec);
    commands.put("doctor", FmiTool::doctor);
    commands.put("version", FmiTool::showVersion);
    return commands;
  }

  /** Returns the command with all subcommands. */
  static CommandSpec spec() {
    return spec("");
  }

  /**
   * Returns the command with one subcommand, if there is one of this name: to set up all of them
   * takes longer than to run most of them.
   */
  private static CommandSpec spec(String only) {
    CommandSpec tool = CommandSpec.create().name("fmi").version(version());
    tool.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("Shows this help.").build());
    tool.addOption(
        OptionSpec.builder("-V", "--version")
            .versionHelp(true)
            .description("Shows the version.")
            .build());
    Map<String, Supplier<CommandSpec>> commands = commands();
    commands.forEach(
        (name, command) -> {
          if (!commands.containsKey(only) || name.equals(only)) {
            tool.addSubcommand(name, command.get());
          }
        });
    return tool;
  }

  private static CommandSpec showVersion() {
    return command(
        () -> {
          System.out.println(version());
          return 0;
        },
        "Shows the version.");
  }

  private static String version() {
    return "fmi " + FmiTool.class.getPackage().getImplementationVersion();
  }

  static CommandSpec command(Callable<Integer> body, String description) {
    CommandSpec command = CommandSpec.wrapWithoutInspection(body);
    command.addOption(OptionSpec.builder("-h", "--help").usageHelp(true).build());
    command.usageMessage().description(description);
    return command;
  }

  private static CommandSpec doctor() {
    CommandSpec[] self = new CommandSpec[1];
    self[0] =
        command(
            () -> {
              Path files = self[0].findOption("--l2-dir").getValue();
              return new Doctor(Transports.find(), files, System.out::println).examine()
                  ? 0
                  : FAILED;
            },
            "Checks this machine: reports its resources and what is missing, and sends a message"
                + " over each available transport. Exits with status "
                + FAILED
                + " if a check fails.");
    self[0].addOption(
        OptionSpec.builder("--l2-dir")
            .type(Path.class)
            .paramLabel("DIR")
            .description("Check that checkpoints can be written to this directory from here.")
            .build());
    return self[0];
  }

  private static int refuse(CommandLine.ParameterException e) {
    System.err.println("fmi: " + message(e));
    return USAGE;
  }

  private static String message(CommandLine.ParameterException e) {
    CommandSpec command = e.getCommandLine().getCommandSpec();
    if (!(e instanceof CommandLine.UnmatchedArgumentException unmatched)) {
      return e.getMessage() + " (fmi --help)";
    }
    List<String> valid = new ArrayList<>(command.subcommands().keySet());
    valid.addAll(command.optionsMap().keySet());
    String unknown = unmatched.getUnmatched().getFirst();
    return unknown
        + ": no such command or option"
        + Nearest.question(unknown, valid)
        + " (fmi --help)";
  }
}
