package org.fmi.run.slurm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Commands of Slurm that are scripts.
 *
 * @param directory where they are, for the PATH
 */
public record FakeSlurm(Path directory) {
  /** Makes a command, or another one of it. */
  public void command(String name, String... script) throws IOException {
    Path file = directory.resolve(name);
    Files.writeString(file, "#!/bin/bash\n" + String.join("\n", script) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
