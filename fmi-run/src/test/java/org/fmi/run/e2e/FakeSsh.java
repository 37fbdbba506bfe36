package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A script in place of ssh, for jobs on hosts that this machine stands for. */
final class FakeSsh {
  private FakeSsh() {}

  /**
   * Makes it.
   *
   * @param body its lines after the options of ssh: {@code $2} is the host, {@code $3} the command
   * @return a PATH that begins with it
   */
  static String path(Path directory, String body) throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Path ssh = bin.resolve("ssh");
    Files.writeString(ssh, "#!/bin/bash\nwhile [ \"$1\" != -- ]; do shift; done\n" + body);
    assertThat(ssh.toFile().setExecutable(true)).isTrue();
    return bin + ":" + System.getenv("PATH");
  }
}
