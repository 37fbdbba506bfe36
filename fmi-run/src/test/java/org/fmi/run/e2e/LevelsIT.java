package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.fmi.run.e2e.Fmirun.Result;
import org.fmi.testkit.turns.Variants;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints on files, with real processes. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class LevelsIT {
  private static final Path FMI = Path.of("target/fmi/bin/fmi").toAbsolutePath();

  @TempDir private Path directory;

  private Path files() {
    return directory.resolve("ckpt");
  }

  private Fmirun job(String... options) throws IOException {
    return job(LevelsProgram.class, options);
  }

  private Fmirun job(Class<?> program, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("--interval", "10", "--l2-dir", files().toString()));
    all.addAll(List.of(options));
    all.addAll(List.of("-cp", "target/test-classes", program.getName()));
    all.add(Files.createDirectories(directory.resolve("gates")).toString());
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  /** The long loop stands still there. */
  private void holdAt(int iteration) throws IOException {
    Path gates = Files.createDirectories(directory.resolve("gates"));
    Files.createFile(gates.resolve("hold-" + iteration));
  }

  private void open(int iteration) throws IOException {
    Files.createFile(directory.resolve("gates").resolve("gate-" + iteration));
  }

  private record Answer(int status, String text) {}

  private static Answer fmi(Object... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(FMI.toString()));
    Stream.of(arguments).map(Object::toString).forEach(command::add);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(text).isTrue();
    return new Answer(process.exitValue(), text);
  }

  @Test
  void aJobThatWasKilledIsGoneOnWithElsewhere() throws Exception {
    holdAt(60);
    try (Fmirun.Running running = job("-n", "4", "--ppn", "2", "--l2-every", "50").start()) {
      running.awaitEvent("Level2Committed", 1);
    } // all its processes are killed
    Answer list = fmi("ckpt", "list", files());
    assertThat(list.status()).as(list.text()).isZero();
    assertThat(list.text().lines().skip(1))
        .as(list.text())
        .singleElement()
        .satisfies(line -> assertThat(line).matches("[0-9a-f]{12}/v\\d+ +4 +1 +50 .*"));
    String generation = list.text().lines().toList().get(1).split(" ", -1)[0];
    assertThat(fmi("ckpt", "verify", files())).isEqualTo(new Answer(0, generation + ": whole\n"));

    open(60);
    Result result =
        job(
                "-n",
                "4",
                "--ppn",
                "4",
                "--transport",
                "shm",
                "--l2-every",
                "50",
                "--restart-from",
                "latest")
            .run()
            .succeeded();
    assertThat(result.value("state")).isEqualTo(LevelsProgram.result(4));
    assertThat(result.events("AllRunning"))
        .singleElement()
        .satisfies(
            event -> assertThat(event).containsEntry("loop", "1").containsEntry("iteration", "50"));
    assertThat(result.events("Level2Restored"))
        .singleElement()
        .satisfies(event -> assertThat(event).containsEntry("generation", generation));
    // Versions go on.
    long version = Long.parseLong(generation.substring(generation.indexOf("/v") + 2));
    assertThat(result.events("CheckpointCommitted"))
        .isNotEmpty()
        .allSatisfy(
            event -> assertThat(Long.parseLong(event.get("version"))).isGreaterThan(version));
  }

  private static String name(Fmirun.Running running) throws IOException {
    return Objects.requireNonNull(running.events().getFirst().get("job"));
  }

  @Wide
  @ParameterizedTest
  @ValueSource(strings = {"blocking", "overlapped"})
  void aCheckpointIsTakenForWhoAsks(String mode) throws Exception {
    holdAt(60);
    holdAt(160);
    try (Fmirun.Running running =
        new Fmirun(
                directory,
                "-n",
                "4",
                "--ppn",
                "2",
                "--interval",
                "1000",
                "--checkpoint",
                mode,
                "-cp",
                "target/test-classes",
                LevelsProgram.class.getName(),
                directory.resolve("gates").toString())
            .start()) {
      running.awaitEvent(
          "CheckpointCommitted", 3); // those of the first loop, and the second's first
      CompletableFuture<Answer> asked = CompletableFuture.supplyAsync(() -> checkpoint(running));
      running.awaitEvent("CheckpointRequested", 1);
      open(60);
      Answer answer = asked.get();
      assertThat(answer.status()).as(answer.text()).isZero();
      assertThat(answer.text()).matches("checkpoint 3 \\(iteration \\d+ of loop 1\\)\n");
      // It has no files to be stopped for.
      assertThat(ask(running, "stop", "--at-checkpoint"))
          .satisfies(refused -> assertThat(refused.status()).isEqualTo(70))
          .satisfies(
              refused -> assertThat(refused.text()).contains("writes no checkpoints to files"));
      // The rank whose death this is goes on from there.
      long iteration = Long.parseLong(answer.text().replaceAll(".*iteration (\\d+).*\n", "$1"));
      assertThat(iteration).isBetween(1L, 160L);
      ProcessHandle.of(running.ranks().getFirst()).ifPresent(ProcessHandle::destroyForcibly);
      open(160);
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(4));
      assertThat(result.events("AllRunning").getLast())
          .containsEntry("loop", "1")
          .containsEntry("iteration", Long.toString(iteration));
    }
  }

  @Wide
  @Test
  void aNodeKeepsItsCheckpointsOnADisk() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    holdAt(60);
    try (Fmirun.Running running =
        job(
                "-n",
                "4",
                "--ppn",
                "2",
                "--spares",
                "1",
                "--l2-every",
                "50",
                "--node-dir",
                disk.toString(),
                "--kill",
                "node1@70")
            .start()) {
      running.awaitEvent("Level2Committed", 1);
      List<Path> pieces;
      try (Stream<Path> files = Files.walk(disk)) {
        pieces = files.filter(f -> f.getFileName().toString().contains("ckpt-")).toList();
      }
      assertThat(pieces).as("of 4 ranks").hasSizeGreaterThanOrEqualTo(4);
      open(60);
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(4));
      assertThat(result.count("NodeFailed")).isEqualTo(1);
    }
    assertThat(disk).isEmptyDirectory();
  }

  @Test
  void aJobThatIsStoppedAtACheckpointIsGoneOnWithElsewhere() throws Exception {
    holdAt(60);
    String line;
    long iteration;
    try (Fmirun.Running running = job("-n", "4", "--ppn", "2", "--l2-every", "1000").start()) {
      running.awaitEvent("AllRunning", 1);
      CompletableFuture<Answer> asked =
          CompletableFuture.supplyAsync(() -> ask(running, "stop", "--at-checkpoint"));
      running.awaitEvent("CheckpointRequested", 1);
      open(60);
      Answer answer = asked.get();
      assertThat(answer.status()).as(answer.text()).isZero();
      assertThat(answer.text())
          .matches(
              "checkpoint \\d+ \\(iteration \\d+ of loop \\d\\), in files: [0-9a-f]{12}/v\\d+\n");
      Result result = running.await();
      assertThat(result.status()).as(result.err()).isEqualTo(75);
      line =
          result
              .err()
              .lines()
              .filter(l -> l.startsWith("fmirun: stopped at "))
              .findFirst()
              .orElseThrow();
      iteration = Long.parseLong(answer.text().replaceAll(".*iteration (\\d+).*\n", "$1"));
      assertThat(line)
          .endsWith("--restart-from " + answer.text().strip().replaceAll(".* ", ""))
          .contains("--l2-dir " + files());
    }
    Result result =
        job(
                "-n",
                "4",
                "--ppn",
                "4",
                "--l2-every",
                "1000",
                "--restart-from",
                line.replaceAll(".* ", ""))
            .run()
            .succeeded();
    assertThat(result.value("state")).isEqualTo(LevelsProgram.result(4));
    assertThat(result.events("AllRunning").getFirst())
        .containsEntry("iteration", Long.toString(iteration));
  }

  @Wide
  @Test
  void aJobThatCannotBeStoppedAtACheckpointGoesOn() throws Exception {
    holdAt(60);
    holdAt(160);
    try (Fmirun.Running running = job("-n", "2", "--ppn", "1", "--l2-every", "1000").start()) {
      running.awaitEvent("CheckpointCommitted", 3);
      // What is to be a directory is a file.
      Files.createFile(files().resolve(name(running)));
      CompletableFuture<Answer> asked =
          CompletableFuture.supplyAsync(() -> ask(running, "stop", "--at-checkpoint"));
      running.awaitEvent("CheckpointRequested", 1);
      open(60);
      assertThat(asked.get())
          .satisfies(answer -> assertThat(answer.status()).isEqualTo(70))
          .satisfies(
              answer ->
                  assertThat(answer.text())
                      .startsWith("fmi: checkpoint ")
                      .contains(" is in memory but not in files: ")
                      .endsWith("; the job continues\n"));
      open(160);
      assertThat(running.await().succeeded().value("state")).isEqualTo(LevelsProgram.result(2));
    }
  }

  private static Answer checkpoint(Fmirun.Running running) {
    return ask(running, "checkpoint");
  }

  private static Answer ask(Fmirun.Running running, String command, String... options) {
    try {
      List<String> all = new ArrayList<>(List.of(command, name(running)));
      all.addAll(List.of(options));
      return fmi(all.toArray());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Wide
  @Test
  void aHelperThatIsKilledCostsOneVersion() throws Exception {
    holdAt(60);
    holdAt(160);
    try (Fmirun.Running running = job("-n", "2", "--ppn", "1", "--l2-every", "50").start()) {
      while (running.events().stream().noneMatch(e -> "Level2Failed".equals(e.get("event")))) {
        assertThat(running.process().isAlive()).as(running.err()).isTrue();
        for (long helper : running.helpers()) {
          ProcessHandle.of(helper).ifPresent(ProcessHandle::destroyForcibly);
        }
      }
      open(60);
      running.awaitEvent("Level2Committed", 1);
      open(160);
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(2));
      assertThat(result.events("Level2Failed").getFirst().get("reason"))
          .isEqualTo("the process that wrote them was killed by signal 9");
      assertThat(result.count("RecoveryBegun")).isZero();
    }
    Answer verify = fmi("ckpt", "verify", files());
    assertThat(verify.status()).as(verify.text()).isZero();
    assertThat(verify.text()).contains(": whole");
  }

  /** Stops a process that writes checkpoint files, and returns it: where one stops, all wait. */
  private static ProcessHandle stopHelper(Fmirun.Running running) throws Exception {
    while (true) {
      assertThat(running.process().isAlive()).as(running.err()).isTrue();
      for (long helper : running.helpers()) {
        ProcessHandle found = ProcessHandle.of(helper).orElse(null);
        if (found != null && signal("STOP", helper) && found.isAlive()) {
          return found;
        }
      }
    }
  }

  private static boolean signal(String name, long process) throws Exception {
    return new ProcessBuilder("kill", "-" + name, Long.toString(process))
            .redirectErrorStream(true)
            .start()
            .waitFor()
        == 0;
  }

  /** Waits for a line of fmirun's. */
  private static void awaitLine(Fmirun.Running running, String text) throws Exception {
    while (!running.err().contains(text)) {
      assertThat(running.process().isAlive()).as(running.err()).isTrue();
      Thread.sleep(10); // polls a file that another process writes
    }
  }

  @Wide
  @Test
  void theEndOfAJobWaitsForFilesThatAreBeingWritten() throws Exception {
    try (Fmirun.Running running = job("-n", "2", "--ppn", "1", "--l2-every", "50").start()) {
      ProcessHandle helper = stopHelper(running);
      awaitLine(running, "the job waits for the checkpoint of iteration ");
      assertThat(signal("CONT", helper.pid())).isTrue();
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(2));
      assertThat(result.err())
          .contains(" to be written to files before it ends, for at most 60 s (--l2-stall)");
      String last = result.events("Level2Begun").getLast().get("version");
      assertThat(result.events("Level2Committed").getLast()).containsEntry("version", last);
      assertThat(result.events("Level2Failed")).isEmpty();
      assertThat(fmi("ckpt", "list", files()).text()).contains("/v" + last + " ");
    }
    Answer verify = fmi("ckpt", "verify", files());
    assertThat(verify.status()).as(verify.text()).isZero();
    assertThat(verify.text()).contains(": whole");
  }

  @Wide
  @Test
  void theEndOfAJobDoesNotWaitForEver() throws Exception {
    try (Fmirun.Running running =
        job("-n", "2", "--ppn", "1", "--l2-every", "50", "--l2-stall", "20").start()) {
      stopHelper(running);
      Result result = running.await().succeeded();
      assertThat(result.err()).contains("the job waits for the checkpoint").contains("--l2-stall");
      assertThat(result.events("Level2Failed")).isNotEmpty();
    }
  }

  @Wide
  @Test
  void afterAFailureOfTheProgramWhatIsBeingWrittenIsWaitedFor() throws Exception {
    holdAt(60);
    try (Fmirun.Running running = job("-n", "2", "--ppn", "1", "--l2-every", "50").start()) {
      ProcessHandle helper = stopHelper(running);
      List<Long> ranks = running.ranks().subList(0, 2); // others stand by
      Files.createFile(directory.resolve("gates").resolve("fail-60"));
      open(60);
      awaitLine(running, "the job waits for the checkpoint of iteration ");
      while (running.ranks().stream().anyMatch(ranks::contains)) {
        Thread.sleep(10); // polls for the end of other processes
      }
      assertThat(signal("CONT", helper.pid())).isTrue();
      Result result = running.await();
      assertThat(result.status()).isEqualTo(1);
      assertThat(result.err()).contains("not today");
      assertThat(result.events("Level2Committed")).hasSize(1);
    }
    assertThat(fmi("ckpt", "verify", files()).text()).contains(": whole");
  }

  @Wide
  @Test
  void whoeverInterruptsDoesNotWaitForFiles() throws Exception {
    try (Fmirun.Running running = job("-n", "2", "--ppn", "1", "--l2-every", "50").start()) {
      stopHelper(running);
      awaitLine(running, "the job waits for the checkpoint of iteration ");
      assertThat(signal("INT", running.process().pid())).isTrue();
      Result result = running.await().succeeded(); // all ranks had ended
      assertThat(result.err()).contains("the job was ended without waiting for it");
    }
  }

  @Wide
  @Test
  void aHelperThatHangsIsKilledAndTheJobGoesOn() throws Exception {
    holdAt(60);
    holdAt(160);
    try (Fmirun.Running running =
        job("-n", "2", "--ppn", "1", "--l2-every", "50", "--l2-stall", "40").start()) {
      stopHelper(running);
      running.awaitEvent("Level2Failed", 1);
      open(60);
      running.awaitEvent("Level2Committed", 1);
      open(160);
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(2));
      assertThat(result.count("RecoveryBegun")).isZero();
      assertThat(result.events("Level2Failed").getFirst().get("reason"))
          .startsWith(files() + ": no progress for 40 s, the limit; ");
    }
    assertThat(fmi("ckpt", "verify", files()).text()).contains(": whole");
  }

  @Wide
  @Test
  void aFullFileSystemIsToldAndTheJobGoesOn() throws Exception {
    Files.createDirectories(files());
    List<String> small =
        List.of(
            "unshare",
            "-m",
            "--map-root-user",
            "bash",
            "-c",
            "mount -t tmpfs -o size=64k tmpfs \"$0\" && exec \"$@\"",
            files().toString());
    assumeThat(works(small)).as("a file system may be mounted in a name space").isTrue();
    holdAt(60);
    try (Fmirun.Running running =
        job("-n", "2", "--ppn", "1", "--l2-every", "50").within(small).start()) {
      running.awaitEvent("Level2Failed", 1);
      open(60);
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(2));
      assertThat(result.events("Level2Failed").getFirst().get("reason"))
          .contains(files().toString())
          .contains("No space left on device");
      assertThat(result.count("Level2Committed")).isZero();
      assertThat(result.count("RecoveryBegun")).isZero();
    }
  }

  private static boolean works(List<String> prefix) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add("true");
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 && said.isEmpty();
  }

  @Test
  void whatCannotBeGoneOnWithIsRefusedAtOnce() throws Exception {
    Result none = job("-n", "2", "--restart-from", "latest").run();
    assertThat(none.status()).isEqualTo(64);
    assertThat(none.err()).contains("--l2-dir " + files() + ": no such directory");
    holdAt(60);
    try (Fmirun.Running running = job("-n", "2", "--l2-every", "50").start()) {
      running.awaitEvent("Level2Committed", 1);
      open(60);
      running.await().succeeded();
    }
    Result other = job("-n", "3", "--restart-from", "latest").run();
    assertThat(other.status()).isEqualTo(70);
    assertThat(other.err())
        .contains("the loop's state object 0, a long[], has no layout for a number of ranks other")
        .contains("than 2")
        .contains("or use -n 2");
    Result program =
        new Fmirun(
                directory,
                "-n",
                "2",
                "--l2-dir",
                files().toString(),
                "--restart-from",
                "latest",
                "-cp",
                "target/test-classes",
                TwoLoopsProgram.class.getName())
            .run();
    assertThat(program.status()).isEqualTo(64);
    assertThat(program.err())
        .contains("its main class was " + LevelsProgram.class.getName())
        .hasLineCount(1);
    assertThat(fmi("ckpt", "list", directory.resolve("nothing")).status()).isEqualTo(64);
    assertThat(fmi("ckpt", "show", files(), "nobody/v1").status()).isEqualTo(64);
  }

  @Wide
  @Test
  void aDamagedGenerationIsNamedAndAnOlderOneTaken() throws Exception {
    holdAt(60);
    holdAt(110);
    String newest;
    try (Fmirun.Running running = job("-n", "2", "--ppn", "1", "--l2-every", "50").start()) {
      running.awaitEvent("Level2Committed", 1);
      open(60);
      running.awaitEvent("Level2Committed", 2);
      newest = newest()[0];
    }
    Path file;
    try (Stream<Path> all = Files.walk(files())) {
      file = all.filter(each -> each.endsWith("n0001-e0.fmi")).sorted().toList().getLast();
    }
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);

    Answer verify = fmi("ckpt", "verify", files());
    assertThat(verify.status()).isEqualTo(70);
    assertThat(verify.text()).contains(file + ": damaged: block ").contains(": whole");
    open(110);
    // The one that was named has no other behind it; latest has.
    Result damaged = job("-n", "2", "--restart-from", newest).run();
    assertThat(damaged.status()).isEqualTo(70);
    assertThat(damaged.err()).contains(file + ": damaged: block ").contains("fmi ckpt verify");

    Result next = job("-n", "2", "--restart-from", "latest").run().succeeded();
    assertThat(next.value("state")).isEqualTo(LevelsProgram.result(2));
    assertThat(next.err())
        .contains(file + ": damaged: block ")
        .contains("trying an older generation");
    assertThat(next.events("AllRunning").getFirst()).containsEntry("iteration", "50");

    // Cut short it is seen from outside.
    Files.write(file, Arrays.copyOf(bytes, 100_000));
    Result older = job("-n", "2", "--restart-from", "latest").run().succeeded();
    assertThat(older.value("state")).isEqualTo(LevelsProgram.result(2));
    assertThat(older.err()).contains(file + ": cut short");
    assertThat(older.events("AllRunning").getFirst()).containsEntry("iteration", "50");
  }

  /** One that loses two nodes of a group at once: the second before anything is brought back. */
  private Fmirun losingTwoNodes(String every) throws IOException {
    return job(
        "-n",
        "4",
        "--ppn",
        "1",
        "--spares",
        "2",
        "--l2-every",
        every,
        "--kill",
        "node1@75",
        "--kill",
        "node2@rebuild");
  }

  @Test
  void twoNodesOfAGroupAtOnceAreReadFromFiles() throws Exception {
    holdAt(65);
    try (Fmirun.Running running = losingTwoNodes("50").start()) {
      running.awaitEvent("Level2Committed", 1);
      open(65);
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(4));
      assertThat(result.events("Level2Restored"))
          .as(result.err())
          .last()
          .satisfies(
              event ->
                  assertThat(event).containsEntry("loop", "1").containsEntry("iteration", "50"));
      assertThat(result.err())
          .containsPattern("rolls back to [0-9a-f]{12}/v\\d+ in files, read by ")
          .containsPattern("at iteration 50 of loop 1; recomputes 2[0-9] iterations");
    }
    assertThat(fmi("ckpt", "verify", files()).status()).isZero();
  }

  @Wide
  @Test
  void whatNeitherMemoryNorFilesHoldEndsTheJob() throws Exception {
    Result result = losingTwoNodes("1000").run();
    assertThat(result.status()).isEqualTo(70);
    assertThat(result.err())
        .contains("ranks [1, 2] of one checkpoint group lost their parts")
        .contains("and the files have no version that all ranks can read");
  }

  // ---- another number of ranks

  private static void assertBeganInTheSecondLoop(Result result, String generation) {
    assertThat(result.events("Level2Restored"))
        .singleElement()
        .satisfies(
            event ->
                assertThat(event)
                    .containsEntry("generation", generation)
                    .containsEntry("loop", "1")
                    .containsEntry("iteration", "50"));
  }

  /**
   * From the middle of the second loop, whose blocks are others then; and it survives a failure.
   */
  @Variants
  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void anotherNumberOfRanksComputesTheSame(int ranks) throws Exception {
    holdAt(60);
    try (Fmirun.Running running =
        job(BlocksProgram.class, "-n", "4", "--ppn", "2", "--l2-every", "50").start()) {
      running.awaitEvent("Level2Committed", 1);
    } // all its processes are killed
    String generation = newest()[0];
    exports(generation);
    open(60);
    List<String> options = new ArrayList<>(List.of("-n", "" + ranks, "--ppn", "2"));
    options.addAll(List.of("--l2-every", "1000", "--kill", "rank1@150"));
    options.addAll(List.of("--restart-from", generation));
    Result result = job(BlocksProgram.class, options.toArray(String[]::new)).run().succeeded();
    assertThat(result.value("state")).isEqualTo(BlocksProgram.result());
    assertBeganInTheSecondLoop(result, generation);
    assertThat(result.events("AllRunning").getLast()).containsEntry("loop", "1");
    // Versions go on: the newest generation of the line is that of the new job.
    long version = Long.parseLong(generation.substring(generation.indexOf("/v") + 2));
    assertThat(result.events("CheckpointCommitted"))
        .isNotEmpty()
        .allSatisfy(
            event -> assertThat(Long.parseLong(event.get("version"))).isGreaterThan(version));
  }

  /** All ranks wait for what is written, and so another number of them can begin from it. */
  @Variants
  @ParameterizedTest
  @CsvSource({
    "4, overlapped, global",
    "4, overlapped, local",
    "4, blocking, global",
    "3, overlapped, local"
  })
  void whatIsWrittenBesideCheckpointsThatNobodyWaitsForIsGoneOnWith(
      int ranks, String mode, String rollback) throws Exception {
    holdAt(60);
    try (Fmirun.Running running =
        job(
                BlocksProgram.class,
                "-n",
                "4",
                "--ppn",
                "2",
                "--l2-every",
                "50",
                "--checkpoint",
                "overlapped",
                "--rollback",
                rollback)
            .start()) {
      running.awaitEvent("Level2Committed", 1);
      assertThat(running.err()).contains("checkpoints that are written to files");
      assertThat(running.events())
          .filteredOn(e -> "CheckpointCommitted".equals(e.get("event")))
          .as("those of both beginnings and of iteration 50 are waited for, as is the first end")
          .hasSizeGreaterThan(4);
    } // all its processes are killed
    String generation = newest()[0];
    open(60);
    // No other checkpoint is taken before the failure.
    List<String> options = new ArrayList<>(List.of("-n", "" + ranks, "--interval", "1000"));
    options.addAll(List.of("--ppn", "2", "--l2-dir", files().toString(), "--l2-every", "1000"));
    options.addAll(List.of("--checkpoint", mode, "--rollback", rollback));
    options.addAll(List.of("--restart-from", generation, "--kill", "rank1@150"));
    options.addAll(List.of("-cp", "target/test-classes", BlocksProgram.class.getName()));
    options.add(directory.resolve("gates").toString());
    Result result = new Fmirun(directory, options.toArray(String[]::new)).run().succeeded();
    assertThat(result.value("state")).isEqualTo(BlocksProgram.result());
    assertBeganInTheSecondLoop(result, generation);
    assertThat(result.events("Continued")).hasSize(rollback.equals("local") ? ranks - 1 : 0);
  }

  @Wide
  @Test
  void beforeItsFirstFileAnotherNumberOfRanksBeginsFromTheSameOnceMore() throws Exception {
    holdAt(60);
    try (Fmirun.Running running =
        job(BlocksProgram.class, "-n", "3", "--ppn", "3", "--l2-every", "50").start()) {
      running.awaitEvent("Level2Committed", 1);
    }
    open(60);
    List<String> options = new ArrayList<>(List.of("-n", "4", "--ppn", "1", "--spares", "2"));
    options.addAll(List.of("--l2-every", "100000", "--restart-from", newest()[0]));
    options.addAll(List.of("--kill", "node1@75", "--kill", "node2@rebuild"));
    Result result = job(BlocksProgram.class, options.toArray(String[]::new)).run().succeeded();
    assertThat(result.value("state")).isEqualTo(BlocksProgram.result());
    assertThat(result.events("Level2Restored")).hasSize(2);
  }

  @Wide
  @Test
  void heat2dGoesOnWithAnotherNumberOfRanks() throws Exception {
    try (Fmirun.Running running = heat2d(4, 1_000_000, "--l2-every", "50").start()) {
      running.awaitEvent("Level2Committed", 1);
    }
    String[] columns = newest();
    int more = Integer.parseInt(columns[3]) + 100;
    Result undisturbed = heat2d(4, more, "--l2-every", "1000000000").run().succeeded();
    for (int ranks : new int[] {3, 6}) {
      Result result = heat2d(ranks, more, "--restart-from", columns[0]).run().succeeded();
      // It has compared each point with its own serial result.
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.value("checksum")).isEqualTo(undisturbed.value("checksum"));
      assertThat(result.value("residual")).isEqualTo(undisturbed.value("residual"));
      assertThat(result.events("Level2Restored").getFirst()).containsEntry("iteration", columns[3]);
    }
  }

  private Fmirun heat2d(int ranks, int iterations, String... options) {
    List<String> all = new ArrayList<>(List.of("-n", "" + ranks, "--interval", "10"));
    all.addAll(List.of("--l2-dir", files().toString()));
    all.addAll(List.of(options));
    all.addAll(List.of(Fmirun.example("heat2d"), "--size", "101", "--iterations", "" + iterations));
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  @Wide
  @Test
  void stateThatDoesNotSayHowIsRefusedByName() throws Exception {
    holdAt(60);
    try (Fmirun.Running running =
        new Fmirun(
                directory,
                "-n",
                "3",
                "--interval",
                "10",
                "--l2-dir",
                files().toString(),
                "--l2-every",
                "50",
                "-cp",
                "target/test-classes",
                BlocksProgram.class.getName(),
                Files.createDirectories(directory.resolve("gates")).toString(),
                "plain")
            .start()) {
      running.awaitEvent("Level2Committed", 1);
    }
    Result result = job(BlocksProgram.class, "-n", "2", "--restart-from", "latest").run();
    assertThat(result.status()).isEqualTo(70);
    assertThat(result.err())
        .contains("cannot continue from ")
        .contains(
            "the loop's state object 0, a org.fmi.ArrayBlock, was not registered as ArrayBlock at"
                + " rank 0");
  }

  /** The columns of the newest generation that counts: another one may not be finished. */
  private String[] newest() throws Exception {
    return fmi("ckpt", "list", files())
        .text()
        .lines()
        .map(line -> line.split(" +", -1))
        .filter(columns -> columns.length > 3 && columns[3].matches("\\d+"))
        .toList()
        .getLast();
  }

  /** Arrays of a generation of {@link BlocksProgram} with four ranks, as NumPy reads them. */
  private void exports(String generation) throws Exception {
    Path file = directory.resolve("part.npy");
    Answer done =
        fmi(
            "ckpt",
            "export",
            files(),
            generation,
            "--rank",
            1,
            "--object",
            0,
            "-o",
            file,
            "--loop",
            0);
    assertThat(done).isEqualTo(new Answer(0, ""));
    byte[] bytes = Files.readAllBytes(file);
    String header = new String(bytes, 10, 118, StandardCharsets.US_ASCII);
    assertThat(Arrays.copyOf(bytes, 10))
        .isEqualTo(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0});
    assertThat(header)
        .startsWith("{'descr': '<i8', 'fortran_order': False, 'shape': (2506,), }")
        .endsWith(" \n");
    assertThat(bytes).hasSize(128 + 2506 * Long.BYTES);

    Object[][] refused = {
      {"--rank", 4, "--object", 0, "has ranks 0 to 3"},
      {"--rank", 0, "--object", 2, "registered 2 objects for loop 1"},
      {"--rank", 0, "--object", 0, "--loop", 2, "has the state of loops [0, 1]"},
    };
    for (Object[] each : refused) {
      List<Object> command = new ArrayList<>(List.of("ckpt", "export", files(), generation));
      command.addAll(List.of(each).subList(0, each.length - 1));
      command.addAll(List.of("-o", directory.resolve("none.npy")));
      Answer answer = fmi(command.toArray());
      assertThat(answer.status()).as(answer.text()).isEqualTo(64);
      assertThat(answer.text()).contains((String) each[each.length - 1]).hasLineCount(1);
    }
    assertThat(directory.resolve("none.npy")).doesNotExist();
    assertThat(fmi("ckpt", "export", files(), "--rank", 0, "--object", 0, "-o", file).status())
        .isEqualTo(64);
  }
}
