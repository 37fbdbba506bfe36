package org.fmi.run.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.fmi.run.daemon.FmirunDirectory;
import org.fmi.run.process.Terminal;
import org.fmi.run.status.JobClient;
import org.fmi.run.status.Question;
import org.fmi.run.status.Question.Kind;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands that ask running jobs. */
final class Jobs {
  private static final int USAGE = 64;
  private static final int FAILED = 70;
  private static final int WATCH_MILLIS = 1000;

  /** Cursor to the upper left, and clear all (ECMA-48). */
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private Jobs() {}

  static CommandSpec list() {
    CommandSpec[] self = new CommandSpec[1];
    self[0] =
        FmiTool.command(
            () -> with(_ -> JobTable.print(isOn(self[0], "--all"))),
            "Lists the jobs of this user whose fmirun runs on this machine: what each is called,"
                + " the process of its fmirun, for how long that has run and in which directory,"
                + " and how far the job is, if it answers within 1 s.");
    self[0].addOption(
        OptionSpec.builder("--all")
            .type(boolean.class)
            .description("Also what is left of jobs whose fmirun was killed.")
            .build());
    return self[0];
  }

  static CommandSpec status() {
    return command(
        Jobs::status,
        "Shows what a running job does.",
        OptionSpec.builder("--json").description("As JSON, with all that is known."),
        OptionSpec.builder("--watch").description("Again each second, until the job ends."));
  }

  static CommandSpec stop() {
    return command(
        Jobs::stop,
        "Ends a running job, as SIGTERM to its fmirun does, and waits until it has ended.",
        OptionSpec.builder("--at-checkpoint")
            .description(
                "Has it take a checkpoint before, and write it to files; ends it, with status 75,"
                    + " if that succeeds. Needs --l2-dir in the job. Until then Ctrl-C calls it"
                    + " off."),
        OptionSpec.builder("--now")
            .description("At once: shutdown hooks of the program do not run."));
  }

  static CommandSpec checkpoint() {
    return command(
        command -> ask(command, Kind.CHECKPOINT),
        "Has a running job take a checkpoint, and waits until it is committed, and written to files"
            + " if the job has --l2-dir. Before it is committed Ctrl-C calls it off.");
  }

  static CommandSpec stack() {
    CommandSpec spec =
        command(
            Jobs::stack,
            "Shows what the threads of a running job's ranks do, or of one rank. A rank that does"
                + " not answer within 2 s is named.");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .paramLabel("RANK")
            .arity("0..1")
            .type(Integer.class)
            .description("Only this rank.")
            .build());
    return spec;
  }

  static CommandSpec drain() {
    CommandSpec spec =
        command(
            Jobs::drain,
            "Has the ranks of a node leave it behind the next checkpoint, if other nodes have room:"
                + " for one that will be lost before long.");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .paramLabel("NODE")
            .arity("1")
            .type(String.class)
            .description("The node, as fmi status names it.")
            .build());
    return spec;
  }

  static CommandSpec add() {
    CommandSpec spec =
        command(
            Jobs::add,
            "Gives a running job one more node, and waits until it is up: a spare, which takes"
                + " ranks that wait for a node, or share one. A node that was lost is started"
                + " again.");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .paramLabel("HOST[:SLOTS]")
            .arity("0..1")
            .type(String.class)
            .description(
                "A host that ssh reaches, or one of the job of Slurm; none if the job's nodes are"
                    + " on this machine. Without slots it has as many as the job's first node, or"
                    + " as Slurm says.")
            .build());
    return spec;
  }

  static CommandSpec events() {
    return command(
        command -> ask(command, Kind.EVENTS),
        "Shows the events of a running job, as fmirun --events writes them, from its first to its"
            + " last.");
  }

  private static CommandSpec command(
      Function<CommandSpec, Integer> body, String description, OptionSpec.Builder... options) {
    CommandSpec[] self = new CommandSpec[1];
    Callable<Integer> call = () -> body.apply(self[0]);
    self[0] = FmiTool.command(call, description);
    for (OptionSpec.Builder option : options) {
      self[0].addOption(option.type(boolean.class).build());
    }
    self[0].addPositional(
        PositionalParamSpec.builder()
            .index("0")
            .paramLabel("JOB")
            .arity("0..1")
            .type(String.class)
            .description(
                "The job: its --name, or the beginning of its id; not needed if there is only"
                    + " one.")
            .build());
    return self[0];
  }

  private static boolean isOn(CommandSpec command, String option) {
    Boolean value = command.findOption(option).getValue();
    return value != null && value; // null if it was not given
  }

  // ---- what is done

  private static int status(CommandSpec command) {
    Kind kind = isOn(command, "--json") ? Kind.STATUS_JSON : Kind.STATUS;
    if (!isOn(command, "--watch")) {
      return ask(command, kind);
    }
    boolean clears = Terminal.is(Terminal.OUT);
    return with(
        client -> {
          Path job = find(command);
          while (true) {
            client.ask(
                job,
                Question.of(kind),
                // Drawn at once, or it would flicker.
                part ->
                    print(
                        clears
                            ? (CLEAR + new String(part, StandardCharsets.UTF_8))
                                .getBytes(StandardCharsets.UTF_8)
                            : part));
            TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
          }
        });
  }

  private static int stack(CommandSpec command) {
    Integer rank = command.positionalParameters().get(1).getValue();
    if (rank != null && rank < 0) {
      System.err.println("fmi: ranks are counted from 0, not " + rank);
      return USAGE;
    }
    Question question = new Question(Kind.STACK, rank == null ? Question.ALL : rank);
    return with(client -> client.ask(find(command), question, Jobs::print));
  }

  private static int drain(CommandSpec command) {
    String node = command.positionalParameters().get(1).getValue();
    Question question = new Question(Kind.DRAIN, Question.ALL, node);
    return with(client -> client.ask(find(command), question, Jobs::print));
  }

  private static int add(CommandSpec command) {
    String node = command.positionalParameters().get(1).getValue();
    Question question = new Question(Kind.ADD, Question.ALL, node == null ? "" : node);
    return with(client -> client.ask(find(command), question, Jobs::print));
  }

  private static int stop(CommandSpec command) {
    boolean now = isOn(command, "--now");
    boolean atCheckpoint = isOn(command, "--at-checkpoint");
    if (now && atCheckpoint) {
      System.err.println("fmi: --now and --at-checkpoint contradict each other");
      return USAGE;
    }
    return ask(command, now ? Kind.STOP_NOW : atCheckpoint ? Kind.STOP_AT_CHECKPOINT : Kind.STOP);
  }

  private static int ask(CommandSpec command, Kind kind) {
    return with(client -> client.ask(find(command), Question.of(kind), Jobs::print));
  }

  private static void print(byte[] part) {
    System.out.write(part, 0, part.length);
    System.out.flush();
    if (System.out.checkError()) {
      // Nobody reads any more; there is nobody to tell.
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private interface Asking {
    void with(JobClient client) throws IOException, InterruptedException, UnknownJob;
  }

  private static int with(Asking asking) {
    try {
      asking.with(new JobClient());
      return 0;
    } catch (UnknownJob e) {
      System.err.println("fmi: " + e.getMessage());
      return USAGE;
    } catch (IOException e) {
      System.err.println("fmi: " + e.getMessage());
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }

  /** No job, or not exactly one, is meant. */
  private static final class UnknownJob extends Exception {
    private static final long serialVersionUID = 1L;

    UnknownJob(String message) {
      super(message);
    }
  }

  private static Path find(CommandSpec command) throws IOException, UnknownJob {
    String named = command.positionalParameters().getFirst().getValue();
    List<FmirunDirectory> jobs = FmirunDirectory.ofRunning();
    List<FmirunDirectory> meant = named == null ? jobs : JobTable.meant(named, jobs);
    if (meant.size() == 1) {
      return meant.getFirst().path();
    }
    String those =
        jobs.isEmpty()
            ? JobTable.NONE
            : "those that run here are "
                + String.join(", ", jobs.stream().map(FmirunDirectory::jobId).toList());
    throw new UnknownJob(
        named == null
            ? jobs.isEmpty() ? those : "which job? " + those
            : named + (meant.isEmpty() ? ": no such job; " : ": more than one job; ") + those);
  }
}
