package org.fmi.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The script of a lent node's job, and the step that brings the daemon's instructions. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
final class HandOverTest {
  private static final int NOBODY = 65534;

  @TempDir private Path directory;

  /** That no other test has. */
  private final String job = "test-" + ProcessHandle.current().pid() + "-" + System.nanoTime();

  private static final Path MEMORY = Path.of("/dev/shm");

  private final List<Process> started = new ArrayList<>();

  @AfterEach
  void nothingIsLeft() throws Exception {
    for (Process process : started) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(meetings()).isEmpty();
  }

  private List<Path> meetings() throws IOException {
    try (Stream<Path> all = Files.list(MEMORY)) {
      return all.filter(path -> path.getFileName().toString().startsWith("fmi-lent-" + job))
          .toList();
    }
  }

  private Process script() throws IOException {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", HandOver.SCRIPT);
    builder.environment().put("SLURM_JOB_ID", job);
    return start(builder);
  }

  private Process step(String... daemon) throws IOException {
    Path program = directory.resolve("a daemon");
    new FakeSlurm(directory).command("a daemon", daemon);
    return start(new ProcessBuilder(HandOver.step(job, program.toString())));
  }

  private Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.redirectErrorStream(true).start();
    started.add(process);
    return process;
  }

  private static void instruct(Process step) throws IOException {
    try (OutputStream in = step.getOutputStream()) {
      in.write("a\\b \"$c\"\nd\n".getBytes(StandardCharsets.US_ASCII));
    }
  }

  private static List<String> lines(Process step) throws IOException {
    try (Stream<String> lines = step.inputReader().lines()) {
      return lines.toList();
    }
  }

  /** Whoever of both is first. */
  @Test
  void theStepBringsInstructionsAndTellsWhatComesOfThem() throws Exception {
    Process step = step("[ $# = 0 ] && cat", "echo \"fmi-daemon: no\" >&2", "exit 70");
    script();
    instruct(step);
    assertThat(lines(step)).containsExactly("a\\b \"$c\"", "d", "fmi-daemon: no");
    assertThat(step.waitFor()).isEqualTo(70);
  }

  @Test
  void theScriptCleansUpBehindADaemonThatWasKilled() throws Exception {
    script();
    Process step = step("echo \"$@\"", "cat", "[ $# = 1 ] || kill -9 $$");
    instruct(step);
    assertThat(lines(step)).containsSubsequence("a\\b \"$c\"", "d", "--fence", "a\\b \"$c\"", "d");
    assertThat(step.waitFor()).isEqualTo(137);
  }

  /** As when fmirun's own job is cancelled: srun kills its step at once. */
  @Test
  void theDaemonOutlivesTheStep() throws Exception {
    Path ended = directory.resolve("ended");
    script();
    Process step =
        step(
            "trap '' PIPE", // as a JVM
            "trap 'kill $!; echo more; sleep 0.1; touch \"" + ended + "\"; exit 143' TERM",
            "echo $$",
            "sleep 100 >/dev/null 2>&1 & wait");
    instruct(step);
    BufferedReader output = step.inputReader();
    String pid = output.readLine();
    step.destroyForcibly().waitFor();
    assertThat(new ProcessBuilder("kill", "-TERM", pid).start().waitFor()).isZero();
    assertThat(started.getFirst().waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.exists(ended)).isTrue();
  }

  /** The job is cancelled, or fmirun is dead. */
  @Test
  void theScriptEndsWithoutInstructions() throws Exception {
    Process script = script();
    while (meetings().stream().noneMatch(path -> Files.exists(path.resolve("out")))) {
      Thread.sleep(1);
    }
    script.destroy();
    assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** In the name of the job: of another user, of no script, and of a script that was killed. */
  @Test
  void otherDirectoriesNeitherBlockTheScriptNorGetASecret() throws Exception {
    List<Path> others = new ArrayList<>();
    for (String name : List.of("", "-1-abcdefgh", "-4194305-abcdefgh")) {
      Path other = Files.createDirectory(MEMORY.resolve("fmi-lent-" + job + name));
      new ProcessBuilder("mkfifo", other.resolve("out").toString()).start().waitFor();
      others.add(other);
    }
    if ((Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0) {
      Files.setAttribute(others.get(1), "unix:uid", NOBODY);
    } else {
      Files.delete(others.get(1).resolve("out"));
    }
    try {
      script();
      Process step = step("cat", "exit 70");
      instruct(step);
      assertThat(lines(step)).containsExactly("a\\b \"$c\"", "d");
      assertThat(step.waitFor()).isEqualTo(70);
    } finally {
      for (Path other : others) {
        assertThat(other.resolve("word")).doesNotExist();
        Files.deleteIfExists(other.resolve("out"));
        Files.delete(other);
      }
    }
  }
}
