package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NodeDirectoryTest {
  private final String job = "test" + UUID.randomUUID().toString().substring(0, 8);

  private static Process start(Path directory) throws IOException {
    // In a session of its own, as a rank's child that wants to get away.
    ProcessBuilder builder = new ProcessBuilder("setsid", "sleep", "1000");
    builder.environment().put(NodeDirectory.SOCKET_VARIABLE, directory + "/daemon.sock");
    return builder.start();
  }

  @Test
  void isForItsOwnerOnlyAndGoesWithAllThatBelongsToIt() throws Exception {
    NodeDirectory directory = NodeDirectory.create(job, 3);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.path())))
        .isEqualTo("rwx------");
    Files.createDirectory(directory.path().resolve("sub"));
    Files.writeString(directory.path().resolve("sub/piece"), "x");
    Process process = start(directory.path());
    directory.destroy();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(directory.path()).doesNotExist();
  }

  @Test
  void oneOfALivingJobIsNotSweptButCanBeFenced() throws Exception {
    Path path;
    Process daemon =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                job)
            .start();
    try (var out = daemon.inputReader()) {
      path = Path.of(String.valueOf(out.readLine()));
      assertThat(path).exists();
      NodeDirectory.sweepDead();
      assertThat(path).exists();
      Process rank = start(path);
      NodeDirectory.fence(job, 0);
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(rank.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(path).doesNotExist();
      NodeDirectory.fence(job, 0);
    } finally {
      daemon.destroyForcibly();
    }
  }

  @Test
  void oneOfADeadJobIsSwept() throws Exception {
    Process daemon =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                job)
            .start();
    try (var out = daemon.inputReader()) {
      Path path = Path.of(String.valueOf(out.readLine()));
      daemon.destroyForcibly();
      assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(path).exists();
      NodeDirectory.sweepDead();
      assertThat(path).doesNotExist();
    } finally {
      daemon.destroyForcibly();
    }
  }

  /** A process that has a directory and does nothing. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws Exception {
      NodeDirectory directory = NodeDirectory.create(args[0], 0);
      System.out.println(directory.path());
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}
