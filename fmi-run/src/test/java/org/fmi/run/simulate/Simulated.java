package org.fmi.run.simulate;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** What {@code fmi simulate} has said, and how it ended. */
record Simulated(int status, String out, String err) {
  /**
   * Runs it.
   *
   * @param most what the command is begun with
   * @param more what follows
   */
  static Simulated run(String[] most, String... more) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String[] args = new String[most.length + more.length];
    System.arraycopy(most, 0, args, 0, most.length);
    System.arraycopy(more, 0, args, most.length, more.length);
    CommandLine command =
        new CommandLine(
            SimulateCommand.spec(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)));
    int status = command.execute(args);
    return new Simulated(
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
