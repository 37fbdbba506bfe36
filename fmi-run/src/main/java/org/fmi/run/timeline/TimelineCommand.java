package org.fmi.run.timeline;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.fmi.run.options.UsageException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code fmi timeline EVENTS.json -o FILE.html}: draws the events of a job on a page. */
public final class TimelineCommand implements Callable<Integer> {
  private static final int USAGE = 64;
  private static final int FAILED = 70;

  private final PositionalParamSpec events =
      PositionalParamSpec.builder()
          .index("0")
          .type(Path.class)
          .required(true)
          .paramLabel("EVENTS.json")
          .description("event file of fmirun --events, complete or not")
          .build();

  private final OptionSpec page =
      OptionSpec.builder("-o")
          .type(Path.class)
          .required(true)
          .paramLabel("FILE.html")
          .description("HTML page to write; it needs only a browser")
          .build();

  private TimelineCommand() {}

  /** Returns the command, for picocli. */
  public static CommandSpec spec() {
    TimelineCommand command = new TimelineCommand();
    CommandSpec spec = CommandSpec.wrapWithoutInspection(command);
    spec.addPositional(command.events).addOption(command.page);
    spec.addOption(OptionSpec.builder("-h", "--help").usageHelp(true).build());
    spec.usageMessage()
        .description(
            "Draws the events of a job: nodes and their ranks over time, checkpoints, and each"
                + " failure from its cause until all ranks run again.");
    return spec;
  }

  @Override
  public Integer call() {
    try {
      make(events.getValue(), page.getValue());
      return 0;
    } catch (UsageException e) {
      System.err.println("fmi: " + e.getMessage());
      return USAGE;
    } catch (IOException e) {
      System.err.println("fmi: " + e.getMessage());
      return FAILED;
    }
  }

  private static void make(Path from, Path to) throws UsageException, IOException {
    if (Files.exists(to) && Files.exists(from) && Files.isSameFile(from, to)) {
      throw new UsageException("-o " + to + ": is the event file; name another file");
    }
    String html = TimelinePage.of(TimelineBuilder.read(from));
    try {
      Files.writeString(to, html);
    } catch (IOException e) {
      throw new UsageException(
          "-o " + to + ": cannot be written (" + e + "); name a writable file");
    }
  }
}
