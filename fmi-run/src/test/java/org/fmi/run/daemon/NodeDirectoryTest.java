package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.fmi.testkit.contract.JavaProcess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeDirectoryTest {
  private static final int HOLDERS_NODE = 0;

  private final String job = UUID.randomUUID().toString().replace("-", "").substring(0, 12);

  /** Nor what belongs to it. */
  @AfterEach
  void noDirectoryOfAnotherProcessStays() throws IOException {
    NodeDirectory.fence(job, HOLDERS_NODE);
  }

  private static Process start(Path directory) throws IOException {
    // In a session of its own, as a rank's child that wants to get away.
    ProcessBuilder builder = new ProcessBuilder("setsid", "sleep", "1000");
    builder.environment().put(NodeDirectory.SOCKET_VARIABLE, directory + "/daemon.sock");
    builder.environment().put("FMI_TEST_LONG", "x".repeat(100_000));
    return builder.start();
  }

  @Test
  void isForItsOwnerOnlyAndGoesWithAllThatBelongsToIt() throws Exception {
    NodeDirectory directory = NodeDirectory.create(job, 3);
    Process process = start(directory.path());
    try {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())))
          .isEqualTo("rwx------");
      Files.createDirectory(directory.path().resolve("sub"));
      Files.writeString(directory.path().resolve("sub/piece"), "x");
      directory.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(directory.path()).doesNotExist();
    } finally {
      process.destroyForcibly();
      directory.destroy();
    }
  }

  @Test
  void aProcessThatIsChangingItsProgramDoesNotGetAway(@TempDir Path scripts) throws Exception {
    Path script = scripts.resolve("again");
    Files.writeString(script, "#!/bin/sh\nexec \"$0\"\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    Path path = Path.of("/dev/shm", "fmi-" + job + "-5");
    for (int i = 0; i < 200; i++) {
      ProcessBuilder builder = new ProcessBuilder(script.toString());
      builder.environment().put(NodeDirectory.SOCKET_VARIABLE, path + "/daemon.sock");
      Process process = builder.start();
      try {
        NodeDirectory.fence(job, 5);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("round " + i).isTrue();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @Test
  void oneOfALivingJobIsNotSweptButCanBeFenced() throws Exception {
    Path path;
    Process daemon = JavaProcess.of(Holder.class, job).start();
    try (var out = daemon.inputReader()) {
      path = Path.of(String.valueOf(out.readLine()));
      assertThat(path).exists();
      NodeDirectory.sweepDead();
      assertThat(path).exists();
      Process rank = start(path);
      NodeDirectory.fence(job, HOLDERS_NODE);
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(rank.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(path).doesNotExist();
      NodeDirectory.fence(job, HOLDERS_NODE);
    } finally {
      daemon.destroyForcibly();
    }
  }

  @Test
  void oneOfADeadJobIsSwept() throws Exception {
    Process daemon = JavaProcess.of(Holder.class, job).start();
    try (var out = daemon.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      daemon.destroyForcibly();
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      NodeDirectory.sweepDead();
      assertThat(path).doesNotExist();
    } finally {
      daemon.destroyForcibly();
    }
  }

  private static Path make(String name, String mode) throws IOException {
    Path path = Path.of("/dev/shm", name);
    Files.createDirectory(path);
    Files.writeString(path.resolve("data"), "x");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    return path;
  }

  private static void delete(Path path) throws IOException {
    for (String name : List.of("data", "lock")) {
      Files.deleteIfExists(path.resolve(name));
    }
    Files.deleteIfExists(path);
  }

  @ParameterizedTest
  @CsvSource({
    "fmi-thesis-%s, rwx------, true", // not a name that we give
    "fmi-%s-0, rwx------, false", // without the lock that ours have
    "fmi-%s-0, rwxr-xr-x, true", // open to others
    ".fmi-cache-%s, rwx------, false",
    ".fmi-1%s, rwx------, true", // ours holds only the lock until it gets its name
  })
  void whatTheUserHasThereIsNotSwept(String name, String mode, boolean lock) throws Exception {
    Path path =
        make(name.formatted(name.startsWith(".fmi-1") ? "0" + System.nanoTime() : job), mode);
    try {
      if (lock) {
        Files.writeString(path.resolve("lock"), "1");
        Files.setLastModifiedTime(path, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
      }
      NodeDirectory.sweepDead();
      assertThat(path.resolve("data")).exists();
    } finally {
      delete(path);
    }
  }

  @Test
  void oneThatCannotBeLookedAtDoesNotStopTheSweep() throws Exception {
    // In the order in which they are made they are found, or in the opposite one.
    Path before = make("fmi-" + job + "-1", "rwx------");
    Path path = make("fmi-" + job + "-2", "rwx------");
    Path after = make("fmi-" + job + "-3", "rwx------");
    Path lock = path.resolve("lock");
    Process process = null;
    try {
      Files.createFile(before.resolve("lock"));
      Files.createFile(after.resolve("lock"));
      // Not even the superuser may write to a program that runs.
      Files.copy(Path.of("/bin/sleep"), lock, StandardCopyOption.COPY_ATTRIBUTES);
      assumeThat(Files.isExecutable(lock)).as("/dev/shm allows programs").isTrue();
      process = new ProcessBuilder(lock.toString(), "1000").start();
      NodeDirectory.sweepDead();
      assertThat(lock).exists();
      assertThat(before).doesNotExist();
      assertThat(after).doesNotExist();
    } finally {
      if (process != null) {
        process.destroyForcibly().waitFor();
      }
      delete(before);
      delete(path);
      delete(after);
    }
  }

  /** A process that has a directory and does nothing. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      NodeDirectory directory = NodeDirectory.create(args[0], HOLDERS_NODE);
      System.out.println(directory.path());
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}
