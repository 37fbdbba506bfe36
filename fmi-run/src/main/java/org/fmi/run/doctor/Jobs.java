package org.fmi.run.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import org.fmi.run.daemon.NodeDirectory;
import org.fmi.run.status.JobClient;
import org.fmi.run.status.Question;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands that ask running jobs. */
final class Jobs {
  private static final int USAGE = 64;
  private static final int FAILED = 70;

  private Jobs() {}

  static int list() {
    try {
      NodeDirectory.ofJobs().keySet().forEach(System.out::println);
      return 0;
    } catch (IOException e) {
      System.err.println("fmi: cannot look for jobs: " + e.getMessage());
      return FAILED;
    }
  }

  static CommandSpec status() {
    CommandSpec[] self = new CommandSpec[1];
    self[0] = FmiTool.command(() -> status(self[0]), "Shows what a running job does.");
    self[0].addOption(
        OptionSpec.builder("--json").type(boolean.class).description("As JSON.").build());
    self[0].addPositional(
        PositionalParamSpec.builder()
            .paramLabel("JOB")
            .arity("0..1")
            .type(String.class)
            .description("The job, or the beginning of its name; not needed if there is one only.")
            .build());
    return self[0];
  }

  private static int status(CommandSpec command) {
    boolean json = command.findOption("--json").getValue();
    return ask(
        command.positionalParameters().getFirst().getValue(),
        Question.of(json ? Question.Kind.STATUS_JSON : Question.Kind.STATUS));
  }

  private static int ask(@Nullable String job, Question question) {
    try (JobClient client = new JobClient()) {
      SortedMap<String, Path> jobs = NodeDirectory.ofJobs();
      List<String> meant =
          jobs.keySet().stream().filter(id -> job == null || id.startsWith(job)).toList();
      if (meant.size() != 1) {
        System.err.println(
            "fmi: "
                + (job == null ? "no job was named" : job + ": no such job")
                + ", and "
                + (jobs.isEmpty() ? "none runs here" : "those here are " + jobs.keySet()));
        return USAGE;
      }
      client.ask(
          Objects.requireNonNull(jobs.get(meant.getFirst())),
          question,
          part -> System.out.write(part, 0, part.length));
      return 0;
    } catch (IOException e) {
      System.err.println("fmi: " + e.getMessage());
      return FAILED;
    }
  }
}
