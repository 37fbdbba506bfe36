package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** An fmirun that was killed on a host without daemons, such as a login node. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
final class LeftoversIT {
  @TempDir private Path directory;

  private static String random(int bytes) {
    byte[] value = new byte[bytes];
    ThreadLocalRandom.current().nextBytes(value);
    return HexFormat.of().formatHex(value);
  }

  @Test
  void theNextFmirunDeletesThem() throws Exception {
    Path left = Path.of("/dev/shm/fmi-" + random(6) + "-run-" + random(8));
    Files.createDirectory(
        left, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Files.writeString(left.resolve("lock"), "4194305");
    Path ssh = directory.resolve("ssh");
    Files.writeString(ssh, "#!/bin/sh\necho 'ssh: no route' >&2\nexit 255\n");
    Files.setPosixFilePermissions(ssh, PosixFilePermissions.fromString("rwx------"));
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                "target/fmi/bin/fmirun",
                "-n",
                "1",
                "--launcher",
                "ssh",
                "--hosts",
                "127.0.0.1",
                "-cp",
                "target/test-classes",
                PlainProgram.class.getName(),
                "exit",
                "0"));
    builder.environment().merge("PATH", directory.toString(), (path, first) -> first + ":" + path);
    Process fmirun = builder.redirectErrorStream(true).start();
    String output = new String(fmirun.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(fmirun.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(output).contains("ssh cannot reach 127.0.0.1");
    assertThat(left).doesNotExist();
  }
}
