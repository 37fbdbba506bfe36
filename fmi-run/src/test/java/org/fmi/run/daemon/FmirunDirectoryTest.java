package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of fmiruns that nobody sweeps. */
final class FmirunDirectoryTest {
  @TempDir private Path base;

  private Path leave(String job, String mode) throws IOException {
    Path path = Files.createDirectory(base.resolve("fmi-" + job + "-run-0123456789abcdef"));
    Files.writeString(path.resolve("lock"), "1"); // that process does not hold it
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  @Test
  void whatADeadOneHasLeftIsFoundWithoutAProcess() throws IOException {
    Path later = leave("bbbbbbbbbbbb", "rwx------");
    Path left = leave("aaaaaaaaaaaa", "rwx------");
    leave("cccccccccccc", "rwxr-xr-x");
    Files.createDirectory(base.resolve("fmi-aaaaaaaaaaaa-0-0123456789abcdef"));
    Files.writeString(left.resolve("name"), "heat");
    List<FmirunDirectory> found = FmirunDirectory.all(base);
    assertThat(found)
        .containsExactly(
            new FmirunDirectory("aaaaaaaaaaaa", left, null),
            new FmirunDirectory("bbbbbbbbbbbb", later, null));
    assertThat(found.getFirst().name()).isEqualTo("heat");
    assertThat(found.getLast().name()).isEmpty();
  }
}
