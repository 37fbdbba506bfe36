package org.fmi.run.simulate;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.fmi.run.process.Terminal;
import org.fmi.sim.Progress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The common part of the {@code fmi simulate} commands: kinds of options, and their ends. */
abstract class SimulationCommand implements Callable<Integer> {
  static final double YEAR = 365 * 86400.0;

  private static final int USAGE = 64;
  private static final int FAILED = 70;

  final PrintStream out;
  final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
  final Quantities options = new Quantities(spec);
  final OptionSpec failures = Mixes.option();

  /** On the terminal, if standard error is one. */
  final Progress progress;

  private final PrintStream err;

  /** The option whose file is written last. */
  private String writing = "";

  private final OptionSpec csv;

  /**
   * @param written the content of {@code --csv}
   */
  SimulationCommand(PrintStream out, PrintStream err, String written) {
    this.out = out;
    this.err = err;
    this.progress =
        new Progress(Terminal.is(Terminal.ERR) ? this::draw : _ -> {}, System::nanoTime);
    csv =
        OptionSpec.builder("--csv")
            .type(Path.class)
            .paramLabel("FILE")
            .description("Writes " + written + " to this file.")
            .build();
  }

  private void draw(String text) {
    err.print(text);
    err.flush();
  }

  /** Returns the command, for picocli. */
  final CommandSpec spec() {
    spec.addOption(OptionSpec.builder("-h", "--help").usageHelp(true).build());
    addOptions();
    spec.addOption(csv);
    return spec;
  }

  /** Describes the command, and adds its options. */
  abstract void addOptions();

  /**
   * Runs the simulation.
   *
   * @throws IllegalArgumentException if an option is wrong, with a remedy
   * @throws IOException if a file cannot be written
   */
  abstract void simulate() throws IOException;

  @Override
  public final Integer call() {
    try {
      simulate();
      return 0;
    } catch (IllegalArgumentException e) {
      progress.erase();
      err.println("fmi: " + e.getMessage());
      return USAGE;
    } catch (IOException e) {
      err.println("fmi: " + writing + ": cannot be written (" + e + ")");
      return FAILED;
    } finally {
      progress.erase();
    }
  }

  /** Notes which option's file is written now. */
  final void writing(String option) {
    writing = option;
  }

  /** Prints a result. */
  final void print(String line) {
    progress.erase();
    out.println(line);
  }

  /** Writes a table, if one was requested. */
  final void write(List<String> rows) throws IOException {
    Path file = csv.getValue();
    if (file != null) {
      writing("--csv " + file);
      Files.write(file, rows);
    }
  }
}
