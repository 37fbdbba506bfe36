package org.fmi.run.tool;

import java.util.concurrent.Callable;
import java.util.function.Function;
import org.fmi.run.status.Question;
import org.fmi.run.status.Question.Kind;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The commands that ask running jobs: what they are called, and what they are given. */
final class Jobs {
  private static final int USAGE = 64;

  private Jobs() {}

  static CommandSpec list() {
    return FmiTool.command(
        JobQuestions::listAll, "Lists the jobs of this user whose fmirun runs on this machine.");
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
            .description("The job, or the beginning of its name; not needed if there is only one.")
            .build());
    return self[0];
  }

  private static boolean isOn(CommandSpec command, String option) {
    Boolean value = command.findOption(option).getValue();
    return value != null && value; // null if it was not given
  }

  // ---- what they are given

  private static @Nullable String job(CommandSpec command) {
    return command.positionalParameters().getFirst().getValue();
  }

  private static int status(CommandSpec command) {
    return JobQuestions.status(job(command), isOn(command, "--json"), isOn(command, "--watch"));
  }

  private static int stack(CommandSpec command) {
    Integer rank = command.positionalParameters().get(1).getValue();
    if (rank != null && rank < 0) {
      System.err.println("fmi: ranks are counted from 0, not " + rank);
      return USAGE;
    }
    return JobQuestions.ask(
        job(command), new Question(Kind.STACK, rank == null ? Question.ALL : rank));
  }

  private static int drain(CommandSpec command) {
    String node = command.positionalParameters().get(1).getValue();
    return JobQuestions.ask(job(command), new Question(Kind.DRAIN, Question.ALL, node));
  }

  private static int add(CommandSpec command) {
    String node = command.positionalParameters().get(1).getValue();
    return JobQuestions.ask(
        job(command), new Question(Kind.ADD, Question.ALL, node == null ? "" : node));
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
    return JobQuestions.ask(job(command), Question.of(kind));
  }
}
