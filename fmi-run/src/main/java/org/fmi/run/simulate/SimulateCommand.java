package org.fmi.run.simulate;

import java.io.PrintStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code fmi simulate}: one command per kind of simulation. */
public final class SimulateCommand {
  private SimulateCommand() {}

  /** Returns the command, for picocli. */
  public static CommandSpec spec() {
    return spec(System.out, System.err);
  }

  /** Returns the command, which prints to these streams. */
  static CommandSpec spec(PrintStream out, PrintStream err) {
    CommandSpec[] self = new CommandSpec[1];
    self[0] = CommandSpec.wrapWithoutInspection((Runnable) () -> self[0].commandLine().usage(out));
    self[0].addOption(OptionSpec.builder("-h", "--help").usageHelp(true).build());
    self[0]
        .usageMessage()
        .description(
            "Predicts the behaviour of a job on a large machine with models; runs nothing.");
    self[0].addSubcommand("broadcast", new BroadcastCommand(out, err).spec());
    self[0].addSubcommand("heartbeat", new HeartbeatCommand(out, err).spec());
    self[0].addSubcommand("interval", new IntervalCommand(out, err).spec());
    self[0].addSubcommand("job", new WholeJobCommand(out, err).spec());
    self[0].addSubcommand("rollback", new RollbackCommand(out, err).spec());
    return self[0];
  }
}
