package org.fmi.run.e2e;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM at fmirun, or at a daemon, while it makes its directories: none is left. */
final class TerminatedStartIT {
  private static final Path FMIRUN = Path.of("target/fmi/bin/fmirun").toAbsolutePath();

  private static final Path DAEMON = Path.of("target/fmi/bin/fmi-daemon").toAbsolutePath();

  private static final File MEMORY = new File("/dev/shm");

  /** How often to look whether a directory that a daemon is making has got its name. */
  private static final int LOOKS = 1_000;

  private static final int FILES = 6_000;

  private static final int SPREAD_NANOS = 40_000_000;

  private final Random random = new Random();
  private final String job = "%012x".formatted(random.nextLong() & 0xffff_ffff_ffffL);

  @RepeatedTest(6)
  void fmirunLeavesNoCopyOfItsProgram(@TempDir Path program, @TempDir Path copies)
      throws Exception {
    for (int i = 0; i < FILES; i++) {
      Files.write(program.resolve("Class" + i + ".class"), new byte[100]);
    }
    Process fmirun =
        new ProcessBuilder(
                FMIRUN.toString(),
                "-n",
                "1",
                "--node-dir",
                copies.toString(),
                "-cp",
                program.toString(),
                "Class0")
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    while (requireNonNull(copies.toFile().list()).length == 0) {
      assertThat(fmirun.isAlive()).as("fmirun, which has made no copy yet").isTrue();
    }
    TimeUnit.NANOSECONDS.sleep(random.nextInt(SPREAD_NANOS)); // any moment of the copying
    fmirun.destroy(); // SIGTERM
    assertThat(fmirun.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    assertThat(fmirun.exitValue()).isEqualTo(128 + 15);
    assertThat(copies).isEmptyDirectory();
  }

  /** Slurm sends it to the daemon of a node that is taken back at once. */
  @RepeatedTest(6)
  void aDaemonLeavesNoDirectory(RepetitionInfo repetition) throws Exception {
    // An fmirun that never answers, so that the daemon does not end by itself.
    try (ServerSocket fmirun = new ServerSocket(0)) {
      leavesNoDirectory(fmirun.getLocalPort(), repetition.getCurrentRepetition() % 2 == 0);
    }
  }

  private void leavesNoDirectory(int port, boolean later) throws Exception {
    byte[] secret = new byte[32];
    random.nextBytes(secret);
    Bootstrap bootstrap =
        new Bootstrap(job, 0, 0, 0, secret, List.of("127.0.0.1"), port, "", 5_000, 30_000, 30_000);
    Set<String> before = directories();
    Process daemon =
        new ProcessBuilder(DAEMON.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (OutputStream instructions = daemon.getOutputStream()) {
      instructions.write(bootstrap.text().getBytes(StandardCharsets.US_ASCII));
    }
    while (made(before).isEmpty()) {
      assertThat(daemon.isAlive()).as("the daemon, which has made no directory yet").isTrue();
    }
    if (later) {
      TimeUnit.NANOSECONDS.sleep(random.nextInt(SPREAD_NANOS)); // any moment of its start
    }
    daemon.destroy(); // SIGTERM
    assertThat(daemon.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    // A job beside this test may be making a directory right now, which then gets its name.
    Set<String> left = made(before);
    for (int i = 0; i < LOOKS && !left.isEmpty(); i++) {
      TimeUnit.MILLISECONDS.sleep(10);
      left.retainAll(directories());
    }
    assertThat(left).isEmpty();
  }

  /** Directories of this daemon, and unfinished ones of any daemon, that did not exist before. */
  private Set<String> made(Set<String> before) {
    Set<String> now = directories();
    now.removeAll(before);
    return now;
  }

  private Set<String> directories() {
    String[] names =
        MEMORY.list((_, name) -> name.startsWith(".fmi-") || name.startsWith("fmi-" + job + "-"));
    return new HashSet<>(List.of(requireNonNull(names)));
  }
}
