package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.fmi.ckpt.files.Catalog;
import org.fmi.run.e2e.Fmirun.Result;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Checkpoints on a file system of the test's own, which is frozen: whoever writes to it is in a
 * system call that no signal ends, as with a file server that is gone. Needs root and a loop
 * device.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Execution(ExecutionMode.CONCURRENT)
final class FrozenTargetIT {
  private static final long FILE_SYSTEM_BYTES = 40 << 20;

  @TempDir private Path directory;
  private Path files;
  private Path gates;
  private boolean mounted;

  @BeforeEach
  void mount() throws Exception {
    files = Files.createDirectory(directory.resolve("ckpt"));
    gates = Files.createDirectory(directory.resolve("gates"));
    Path image = directory.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(FILE_SYSTEM_BYTES);
    }
    assumeThat(run("mkfs.ext4", "-q", image.toString())).isEmpty();
    assumeThat(run("mount", "-o", "loop", image.toString(), files.toString())).isEmpty();
    mounted = true;
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted) {
      run("fsfreeze", "-u", files.toString());
      assertThat(run("umount", files.toString())).isEmpty();
    }
  }

  /** What a command says; empty if it succeeds. */
  private static String run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : "failed: " + said;
  }

  @Wide
  @Test
  void neitherTheJobNorItsEndWaitsForWhatNoSignalEnds() throws Exception {
    Files.createFile(gates.resolve("hold-40"));
    Files.createFile(gates.resolve("hold-60"));
    Fmirun job =
        new Fmirun(
            directory,
            "-n",
            "2",
            "--ppn",
            "2",
            "--interval",
            "10",
            "--l2-dir",
            files.toString(),
            "--l2-every",
            "50",
            "--l2-stall",
            "20",
            "-cp",
            "target/test-classes",
            LevelsProgram.class.getName(),
            gates.toString());
    try (Fmirun.Running running = job.start()) {
      running.awaitEvent("CheckpointCommitted", 8); // those of loop 0, and up to iteration 40
      assertThat(run("fsfreeze", "-f", files.toString())).isEmpty();
      Files.createFile(gates.resolve("gate-40"));
      ProcessHandle helper = helper(running);
      running.awaitEvent("Level2Failed", 1);
      Files.createFile(gates.resolve("gate-60"));
      assertThat(running.process().waitFor(120, TimeUnit.SECONDS)).isTrue();
      assertThat(threadStates(helper.pid())).as("it was killed, and does not die").contains("D");
      // One that is dying has no command line any more.
      assertThat(running.helpers()).as("no other one was started").isEmpty();

      assertThat(run("fsfreeze", "-u", files.toString())).isEmpty();
      helper.onExit().join();
      Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(LevelsProgram.result(2));
      assertThat(result.count("RecoveryBegun")).isZero();
      Map<String, String> failed =
          result.events().stream()
              .filter(event -> "Level2Failed".equals(event.get("event")))
              .findFirst()
              .orElseThrow();
      assertThat(failed.get("reason")).startsWith(files + ": no progress for 20 s, the limit; ");
    }
    assertThat(Catalog.of(files).generations()).isEmpty();
    assertThat(Catalog.of(files).unusable()).isEmpty();
  }

  private static ProcessHandle helper(Fmirun.Running running) throws Exception {
    List<Long> found = running.helpers();
    while (found.isEmpty()) {
      assertThat(running.process().isAlive()).as(running.err()).isTrue();
      Thread.sleep(5); // polls for a process that another one starts
      found = running.helpers();
    }
    return ProcessHandle.of(found.getFirst()).orElseThrow();
  }

  /** Of the threads of a process, as ps shows them. */
  private static String threadStates(long process) throws IOException {
    StringBuilder states = new StringBuilder();
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(Path.of("/proc/" + process + "/task"))) {
      for (Path task : tasks) {
        String stat = Files.readString(task.resolve("stat"));
        states.append(stat.charAt(stat.lastIndexOf(')') + 2));
      }
    }
    return states.toString();
  }
}
