package org.fmi.run.simulate;

import java.io.PrintStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code fmi simulate}: has one command for each thing that can be simulated. */
public final class SimulateCommand {
  private SimulateCommand() {}

  /** The command, for picocli. */
  public static CommandSpec spec() {
    return spec(System.out, System.err);
  }

  /** It prints to these. */
  static CommandSpec spec(PrintStream out, PrintStream err) {
    CommandSpec[] self = new CommandSpec[1];
    self[0] = CommandSpec.wrapWithoutInspection((Runnable) () -> self[0].commandLine().usage(out));
    self[0].addOption(OptionSpec.builder("-h", "--help").usageHelp(true).build());
    self[0]
        .usageMessage()
        .description(
            "Says what a job on a large machine would do. Computed by models; nothing is run.");
    self[0].addSubcommand("interval", new IntervalCommand(out, err).spec());
    self[0].addSubcommand("job", new WholeJobCommand(out, err).spec());
    self[0].addSubcommand("rollback", new RollbackCommand(out, err).spec());
    return self[0];
  }
}
