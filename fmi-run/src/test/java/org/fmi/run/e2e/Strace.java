package org.fmi.run.e2e;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Kills a process before a system call of one of its threads, by strace. */
public final class Strace implements AutoCloseable {
  private final Process process;
  private final Path log;

  private Strace(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Skips a test where strace is not there, or may not trace. */
  public static void require() throws IOException, InterruptedException {
    Process process;
    try {
      process =
          new ProcessBuilder("strace", "-f", "-qq", "-e", "trace=rmdir", "true")
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      assumeThat(e).as("strace is there").isNull();
      return;
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assumeThat(process.waitFor()).as("strace may trace: %s", said).isZero();
  }

  /**
   * Has a process killed when one of its threads makes a call; returns when it waits for that.
   * Other threads, and processes that it starts, are left alone: strace would hold them when they
   * end.
   *
   * @param number which of these calls of the thread it is, from 1
   * @param log where the calls are written
   */
  static Strace killAt(long process, long thread, String call, int number, Path log)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            "strace",
            "-qq",
            "-y",
            "-o",
            log.toString(),
            "-e",
            "trace=" + call,
            "-e",
            "inject=" + call + ":signal=KILL:when=" + number,
            "-p",
            Long.toString(thread));
    Path said = Path.of(log + "-said");
    Process strace =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    Path status = Path.of("/proc/" + process + "/task/" + thread + "/status");
    while (Files.readString(status).contains("TracerPid:\t0\n")) {
      if (strace.waitFor(5, TimeUnit.MILLISECONDS)) {
        throw new IOException("strace ended: " + Files.readString(said));
      }
    }
    return new Strace(strace, log);
  }

  /** What it has seen, a line for each call. */
  String seen() throws IOException {
    return Files.readString(log);
  }

  /** Lets go of the process, if it lives. */
  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }
}
