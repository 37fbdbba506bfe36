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

/** The commands that send requests to running jobs. */
final class Jobs {
  private static final int USAGE = 64;
  private static final int FAILED = 70;
  private static final int WATCH_MILLIS = 1000;

  /** Moves the cursor to the upper left, and clears the screen (ECMA-48). */
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private Jobs() {}

  static CommandSpec list() {
    CommandSpec[] self = new CommandSpec[1];
    self[0] =
        FmiTool.command(
            () -> with(_ -> JobTable.print(isOn(self[0], "--all"))),
            "Lists the jobs of this user whose fmirun runs on this machine: name, process, age and"
                + " directory of fmirun, and the progress of each job that answers within 1 s.");
    self[0].addOption(
        OptionSpec.builder("--all")
            .type(boolean.class)
            .description("List leftovers of jobs whose fmirun was killed, too.")
            .build());
    return self[0];
  }

  static CommandSpec status() {
    return command(
        Jobs::status,
        "Shows the state of a running job.",
        OptionSpec.builder("--json").description("Print everything known, as JSON."),
        OptionSpec.builder("--watch").description("Repeat each second until the job ends."));
  }

  static CommandSpec stop() {
    return command(
        Jobs::stop,
        "Ends a running job, like SIGTERM to its fmirun, and waits until it has ended.",
        OptionSpec.builder("--at-checkpoint")
            .description(
                "First take a checkpoint and write it to files; if that succeeds, end the job with"
                    + " status 75. Needs a job with --l2-dir. Ctrl-C cancels the request until"
                    + " then."),
        OptionSpec.builder("--now")
            .description("End the job at once, without the shutdown hooks of the program."));
  }

  static CommandSpec checkpoint() {
    return command(
        command -> ask(command, Kind.CHECKPOINT),
        "Makes a running job take a checkpoint, and waits until it is committed and, with --l2-dir,"
            + " written to files. Ctrl-C cancels the request until the commit.");
  }

  static CommandSpec stack() {
    CommandSpec spec =
        command(
            Jobs::stack,
            "Prints the thread stacks of all ranks of a running job, or of one rank, and names each"
                + " rank that does not answer within 2 s.");
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

  static CommandSpec kick() {
    CommandSpec spec =
        command(
            Jobs::kick,
            "Kills the process of a rank of a running job, say one that hangs; it is replaced as"
                + " after any failure.");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .paramLabel("RANK")
            .arity("1")
            .type(Integer.class)
            .description("The rank.")
            .build());
    return spec;
  }

  static CommandSpec drain() {
    return ofNode(
        Kind.DRAIN,
        "Moves the ranks off a node, which is about to be lost, after the next checkpoint, if other"
            + " nodes have room. Until fmi undrain, the node takes ranks only if no other can.");
  }

  static CommandSpec undrain() {
    return ofNode(
        Kind.UNDRAIN, "Revokes fmi drain: the node takes ranks like any other from now on.");
  }

  private static CommandSpec ofNode(Kind kind, String description) {
    CommandSpec spec =
        command(
            command -> {
              String node = command.positionalParameters().get(1).getValue();
              Question question = new Question(kind, Question.ALL, node);
              return with(client -> client.ask(find(command), question, Jobs::print));
            },
            description);
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .paramLabel("NODE")
            .arity("1")
            .type(String.class)
            .description("Name of the node, as in fmi status.")
            .build());
    return spec;
  }

  static CommandSpec add() {
    CommandSpec spec =
        command(
            Jobs::add,
            "Adds a spare node to a running job and waits until it is up. The spare takes ranks"
                + " that wait for a node or share one. A lost node can be added again.");
    spec.addPositional(
        PositionalParamSpec.builder()
            .index("1")
            .paramLabel("HOST[:SLOTS]")
            .arity("0..1")
            .type(String.class)
            .description(
                "A host that ssh reaches, or a host of the Slurm job; omit it if the nodes of the"
                    + " job are on this machine. Default of SLOTS: as many as the first node of the"
                    + " job, or as Slurm reports.")
            .build());
    return spec;
  }

  static CommandSpec events() {
    return command(
        command -> ask(command, Kind.EVENTS),
        "Prints the events of a running job, as fmirun --events writes them, from the first to the"
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
                "Job: its --name or the beginning of its id; not needed if only one job runs.")
            .build());
    return self[0];
  }

  private static boolean isOn(CommandSpec command, String option) {
    Boolean value = command.findOption(option).getValue();
    return value != null && value; // null if it was not given
  }

  // ---- actions

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
                // Drawn at once, to avoid flicker.
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
    return rank == null ? ask(command, Kind.STACK) : askRank(command, Kind.STACK, rank);
  }

  private static int kick(CommandSpec command) {
    int rank = command.positionalParameters().get(1).<Integer>getValue();
    return askRank(command, Kind.KICK, rank);
  }

  private static int askRank(CommandSpec command, Kind kind, int rank) {
    if (rank < 0) {
      System.err.println("fmi: no rank " + rank + "; ranks are numbered from 0");
      return USAGE;
    }
    Question question = new Question(kind, rank);
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
      System.err.println("fmi: --now and --at-checkpoint exclude each other; omit one");
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
      // The reader of the output is gone.
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

  /** The user's name matches no job, or several. */
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
            : "running jobs: "
                + String.join(", ", jobs.stream().map(FmirunDirectory::jobId).toList());
    throw new UnknownJob(
        named == null
            ? jobs.isEmpty() ? those : "several jobs run; name one. " + those
            : named + (meant.isEmpty() ? ": no such job; " : ": more than one job; ") + those);
  }
}
