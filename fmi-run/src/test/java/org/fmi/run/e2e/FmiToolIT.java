package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Runs the packaged {@code fmi} as a user would. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class FmiToolIT {
  private static final Path FMI = Path.of("target/fmi/bin/fmi").toAbsolutePath();

  /** The directory of a job's fmirun. */
  private static final Pattern RUN = Pattern.compile("fmi-([0-9a-f]{12})-run-[0-9a-f]{16}");

  private static final Pattern STACK_OF_1 = Pattern.compile("rank 1, process (\\d+):");

  private static final Pattern ITERATION = Pattern.compile("\"iteration\" : (\\d+)");

  private final Traces traces = new Traces();

  @TempDir private Path directory;

  private record Result(int status, String output) {}

  private Result fmi(String... arguments) throws IOException, InterruptedException {
    return fmi(Map.of(), arguments);
  }

  private Result fmi(Map<String, String> variables, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(FMI.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    traces.mark(builder.environment());
    builder.environment().putAll(variables);
    Result result = run(builder);
    traces.assertGone(result.output());
    return result;
  }

  /** Asks a job, which goes on. */
  private static Result ask(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(FMI.toString()));
    command.addAll(List.of(arguments));
    return run(new ProcessBuilder(command).redirectErrorStream(true));
  }

  private static Result run(ProcessBuilder builder) throws IOException, InterruptedException {
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
    return new Result(process.exitValue(), output);
  }

  @Test
  void doctorTellsWhatThereIs() throws Exception {
    assumeThat(Path.of("/sys/class/infiniband")).doesNotExist();
    Result result = fmi("doctor");
    assertThat(result.status()).as(result.output()).isZero();
    assertThat(result.output().lines())
        .allMatch(line -> line.matches("(ok|unused:|missing:) +[^ ].*"))
        .anyMatch(line -> line.matches("(ok|missing:) +load: [0-9.]+ on \\d+ cores?.*"))
        .anyMatch(line -> line.contains("JDK"))
        .anyMatch(line -> line.contains("cores"))
        .anyMatch(line -> line.contains("/dev/shm"))
        .anyMatch(line -> line.contains("shm loopback"))
        .anyMatch(line -> line.contains("tcp loopback"))
        .anyMatch(
            line ->
                line.contains("rdma: verbs provider native: ")
                    || line.startsWith("unused:  rdma: no libibverbs.so.1 on this machine"))
        .noneMatch(line -> line.startsWith("missing: rdma: "))
        .anyMatch(line -> line.startsWith("unused:  rdma: no RDMA device on this machine"))
        .noneMatch(line -> line.contains("rdma loopback"));
  }

  @Test
  void doctorTellsWhatTheVerbsProviderLacks() throws Exception {
    // Where no libdisni is, but in the system's own directories.
    String nowhere = Path.of("target").toAbsolutePath().toString();
    assertThat(
            fmi(Map.of("FMI_VERBS", "disni", "LD_LIBRARY_PATH", nowhere), "doctor")
                .output()
                .lines())
        .anyMatch(
            line ->
                line.startsWith(
                        "missing: rdma: FMI_VERBS=disni: libdisni is not installed (no disni in"
                            + " java.library.path: ")
                    && line.contains(nowhere));
    assertThat(fmi(Map.of("FMI_VERBS", "disny"), "doctor").output())
        .contains("missing: rdma: FMI_VERBS=disny: no such verbs provider; valid: native, disni\n");
  }

  @Test
  void aRunningJobIsLookedAtFollowedAndStopped(@TempDir Path directory) throws Exception {
    try (Fmirun.Running running =
        goingOn(directory, "-n", "2", "--ppn", "1", "--interval", "10", "--name", "metered")) {
      running.awaitEvent("CheckpointCommitted", 1);
      String job = job(running.process().pid());
      CompletableFuture<Result> followed = follow(job);
      Traces.signal("KILL", running.ranks().getFirst());
      running.awaitEvent("AllRunning", 2);
      long first = iteration(job);
      while (iteration(job) <= first) {
        assertThat(running.process().isAlive()).isTrue();
      }
      assertThat(ask("jobs").output().lines())
          .anyMatch(
              line ->
                  line.matches(
                      job
                          + "  metered +"
                          + running.process().pid()
                          + " .* "
                          + Path.of("").toAbsolutePath()
                          + " +MeteredProgram .*2 ranks .*iteration \\d+.*"));
      assertThat(ask("status", "metered").output()).contains("job " + job);
      Result status = ask("status", job.substring(0, 11));
      assertThat(status.output()).contains("job " + job, "node1", "last checkpoint: iteration ");
      assertThat(ask("status", "zz"))
          .satisfies(refused -> assertThat(refused.status()).isEqualTo(64))
          .satisfies(refused -> assertThat(refused.output()).startsWith("fmi: zz: no such job; "));
      assertThat(ask("stop", job)).isEqualTo(new Result(0, ""));
      assertThat(running.await().status()).isEqualTo(143);
      assertThat(ask("status", job).output()).startsWith("fmi: " + job + ": no such job; ");
      Result events = followed.get();
      assertThat(events.status()).as(events.output()).isZero();
      assertThat(events.output()).isEqualTo(running.eventText());
    }
  }

  /** Its daemon and its ranks wait for it. */
  @Test
  void aJobThatCannotAnswerIsListedAllTheSame(@TempDir Path directory) throws Exception {
    try (Fmirun.Running running = goingOn(directory, "-n", "1", "--heartbeat", "3600")) {
      running.awaitEvent("AllRunning", 1);
      String job = job(running.process().pid());
      Traces.signal("STOP", running.process().pid());
      assertThat(ask("jobs").output().lines())
          .anyMatch(
              line ->
                  line.matches(
                      job + "  -  .*  its fmirun is stopped; continue it with kill -CONT \\d+"));
      Traces.signal("CONT", running.process().pid());
      assertThat(ask("stop", job)).isEqualTo(new Result(0, ""));
    }
  }

  /** A job that does little, until it is stopped. */
  private static Fmirun.Running goingOn(Path directory, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of(options));
    all.addAll(List.of("-cp", Path.of("target", "test-classes").toString()));
    all.add(MeteredProgram.class.getName());
    return new Fmirun(directory, all.toArray(String[]::new)).start();
  }

  private static CompletableFuture<Result> follow(String job) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return ask("events", job);
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  @Test
  void stacksOfARunningJobAreShown(@TempDir Path directory) throws Exception {
    try (Fmirun.Running running =
        new Fmirun(
                directory,
                "-n",
                "2",
                "--heartbeat",
                "3600",
                "-cp",
                Path.of("target", "test-classes").toString(),
                Mistakes.class.getName(),
                "wait")
            .start()) {
      running.awaitEvent("AllRunning", 1);
      String job = job(running.process().pid());
      Result all = ask("stack", job);
      assertThat(all.status()).as(all.output()).isZero();
      assertThat(all.output())
          .matches(
              """
              (?s)rank 0, process \\d+:
              "main" .*
                  at .*[.]Mistakes[.]main.*

              rank 1, process \\d+:
              "main" .*
                  at .*[.]Mistakes[.]main.*

              """);
      Result one = ask("stack", job, "1");
      assertThat(one.output()).startsWith("rank 1, process ").doesNotContain("rank 0");
      assertThat(ask("stack", job, "2"))
          .isEqualTo(new Result(70, "fmi: this job has no rank 2; its ranks are 0 to 1\n"));
      assertThat(ask("stack", job, "-1").status()).isEqualTo(64);
      assertThat(ask("stack", job, "one").status()).isEqualTo(64);

      Matcher process = STACK_OF_1.matcher(one.output());
      assertThat(process.find()).isTrue();
      Traces.signal("STOP", Long.parseLong(process.group(1)));
      Result stopped = ask("stack", job);
      assertThat(stopped.status()).isZero();
      assertThat(stopped.output())
          .startsWith("rank 0, process ")
          .contains("\nrank 1 does not answer: its process is starting or stopped, or");
      Result none = ask("stack", job, "1");
      assertThat(none.status()).as(none.output()).isEqualTo(70);
      assertThat(none.output())
          .startsWith("rank 1 does not answer: ")
          .endsWith("fmi: no rank returned a stack\n");
      assertThat(ask("stop", "--now", job)).isEqualTo(new Result(0, ""));
      assertThat(running.await().status()).isEqualTo(143);
    }
  }

  @Test
  void aProcessThatStandsByTakesARankOver(@TempDir Path directory) throws Exception {
    try (Fmirun.Running running = goingOn(directory, "-n", "2", "--interval", "10")) {
      running.awaitEvent("CheckpointCommitted", 1);
      await(running, () -> running.ranks().size() == 3);
      List<Long> oldestFirst = running.ranks();
      Traces.signal("KILL", oldestFirst.getFirst());
      String job = job(running.process().pid());
      String standsBy = "\"pid\" : " + oldestFirst.getLast() + ",";
      // Only processes that serve a rank are shown.
      await(running, () -> ask("status", "--json", job).output().contains(standsBy));
      assertThat(ask("stop", "--now", job)).isEqualTo(new Result(0, ""));
      assertThat(running.await().status()).isEqualTo(143);
    }
  }

  /** A rank whose node is lost shares the other one, until there is a third. */
  @Test
  void aNodeIsAddedAndTakesARank(@TempDir Path directory) throws Exception {
    String[] options = {"-n", "2", "--ppn", "1", "--interval", "10", "--kill", "node1@20"};
    try (Fmirun.Running running = goingOn(directory, options)) {
      running.awaitEvent("AllRunning", 2);
      String job = job(running.process().pid());
      assertThat(ask("add", job, "b"))
          .isEqualTo(
              new Result(70, "fmi: add: the nodes of the job are on this machine; omit b\n"));
      assertThat(ask("add", job)).isEqualTo(new Result(0, "node2: is up\n"));
      running.awaitEvent("AllRunning", 3);
      assertThat(running.events())
          .anyMatch(
              event -> "Respawned".equals(event.get("event")) && "2".equals(event.get("node")));
      assertThat(ask("status", job).output()).containsPattern("node2 +up +1 ");
      assertThat(ask("stop", "--now", job)).isEqualTo(new Result(0, ""));
      assertThat(running.await().status()).isEqualTo(143);
    }
  }

  /** A user has a rank replaced; then its node goes down in order, far from any checkpoint. */
  @Test
  void ranksAreReplacedAndLeaveANodeThatGoesDown(@TempDir Path directory) throws Exception {
    String[] options = {"-n", "2", "--ppn", "1", "--spares", "1", "--interval", "1000000000"};
    try (Fmirun.Running running = goingOn(directory, options)) {
      running.awaitEvent("CheckpointCommitted", 1);
      String job = job(running.process().pid());
      long daemon =
          ProcessHandle.of(running.ranks().getFirst())
              .flatMap(ProcessHandle::parent)
              .orElseThrow()
              .pid();
      assertThat(ask("kick", job, "2"))
          .isEqualTo(new Result(70, "fmi: this job has no rank 2; its ranks are 0 to 1\n"));
      assertThat(ask("kick", job, "0"))
          .isEqualTo(new Result(0, "rank 0: its process, if it has one, is killed and replaced\n"));
      running.awaitEvent("AllRunning", 2);
      assertThat(ask("drain", job, "node2").status()).isZero();
      assertThat(ask("undrain", job, "node2"))
          .isEqualTo(new Result(0, "node2: takes ranks again\n"));
      Traces.signal("TERM", daemon);
      running.awaitEvent("AllRunning", 3);
      running.awaitEvent("NodeFailed", 1);
      List<String> kinds = running.events().stream().map(event -> event.get("event")).toList();
      assertThat(kinds.lastIndexOf("Respawned"))
          .as("%s", kinds)
          .isLessThan(kinds.indexOf("NodeFailed"));
      assertThat(kinds).containsOnlyOnce("CheckpointRequested");
      assertThat(ask("stop", "--now", job)).isEqualTo(new Result(0, ""));
      assertThat(running.await().status()).isEqualTo(143);
    }
  }

  /** Polls a job for what other processes bring about. */
  private static void await(Fmirun.Running running, Callable<Boolean> condition) throws Exception {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.call()) {
      assertThat(running.process().isAlive()).as(running.err()).isTrue();
      assertThat(System.nanoTime()).as(running.err()).isLessThan(limit);
      Thread.sleep(100); // what is asked looks at all processes, or starts one
    }
  }

  /** By the process of its fmirun: other jobs may run on this machine. */
  private static String job(long pid) throws IOException {
    try (Stream<Path> found = Files.list(Path.of("/dev/shm"))) {
      for (Path path : found.toList()) {
        Matcher name = RUN.matcher(path.getFileName().toString());
        if (name.matches() && Files.readString(path.resolve("lock")).equals(Long.toString(pid))) {
          return name.group(1);
        }
      }
    }
    throw new AssertionError("no directory of process " + pid);
  }

  private long iteration(String job) throws Exception {
    Result result = ask("status", "--json", job);
    assertThat(result.status()).as(result.output()).isZero();
    Matcher iteration = ITERATION.matcher(result.output());
    if (!iteration.find()) {
      return -1;
    }
    // What the daemon adds to what ranks show.
    assertThat(result.output()).containsPattern("\"node_memory_free_bytes\" : [1-9]");
    return Long.parseLong(iteration.group(1));
  }

  @Test
  void anUnknownCommandIsRefusedInOneLine() throws Exception {
    assertThat(fmi("doctr"))
        .isEqualTo(
            new Result(
                64, "fmi: doctr: no such command or option; did you mean doctor? (fmi --help)\n"));
    assertThat(fmi("doctor", "--verbos").status()).isEqualTo(64);
  }

  @Test
  void timelineMakesAPageOfEvents() throws Exception {
    Path events = directory.resolve("events.json");
    Path page = directory.resolve("page.html");
    Files.writeString(
        events,
        "{\"time\":1,\"nanos\":2,\"event\":\"Submitted\",\"job\":\"f00\",\"program\":\"x.jar\"}\n");
    assertThat(fmi("timeline", events.toString(), "-o", page.toString()))
        .isEqualTo(new Result(0, ""));
    assertThat(Files.readString(page)).contains("x.jar").endsWith("</html>\n");
  }

  @Test
  void timelineRefusesWhatItCannotUse() throws Exception {
    String events = directory.resolve("events.json").toString();
    assertThat(fmi("timeline", events, "-o", directory.resolve("page.html").toString()))
        .isEqualTo(
            new Result(
                64, "fmi: " + events + ": no such file; name a file written by fmirun --events\n"));
    Files.writeString(
        directory.resolve("events.json"),
        "{\"time\":1,\"nanos\":2,\"event\":\"Submitted\",\"job\":\"f00\",\"program\":\"x.jar\"}\n");
    assertThat(fmi("timeline", events, "-o", events))
        .isEqualTo(
            new Result(64, "fmi: -o " + events + ": is the event file; name another file\n"));
    Result nowhere = fmi("timeline", events, "-o", directory + "/none/page.html");
    assertThat(nowhere.status()).isEqualTo(64);
    assertThat(nowhere.output()).endsWith("; name a writable file\n");
    assertThat(fmi("timeline", events).status()).isEqualTo(64);
    assertThat(fmi("timeline").status()).isEqualTo(64);
  }

  @Test
  void withoutACommandTheHelpIsShown() throws Exception {
    Result result = fmi();
    assertThat(result.status()).isEqualTo(64);
    assertThat(result.output()).contains("doctor");
    assertThat(fmi("--help").status()).isZero();
    assertThat(fmi("--version").output()).startsWith("fmi ");
  }
}
