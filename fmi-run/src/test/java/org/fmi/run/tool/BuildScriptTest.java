package org.fmi.run.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code dev/build} shows of a build, with something else in Maven's place. */
final class BuildScriptTest {
  private static final Path SCRIPT = Path.of("..", "dev", "build");

  @TempDir private Path root;

  private String build(String maven, String... command) throws IOException, InterruptedException {
    Files.createDirectories(root.resolve("dev"));
    Files.createDirectories(root.resolve("conf"));
    Files.createDirectories(root.resolve("module/src"));
    Files.writeString(root.resolve("pom.xml"), "");
    Files.writeString(root.resolve("module/pom.xml"), "");
    Files.copy(SCRIPT, root.resolve("dev/build"));
    Path stub = Files.writeString(root.resolve("dev/mvn"), "#!/bin/bash\n" + maven);
    Files.setPosixFilePermissions(stub, PosixFilePermissions.fromString("rwx------"));
    Process process =
        new ProcessBuilder(command).directory(root.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return output + process.exitValue();
  }

  private static final String MODULES =
      """
      echo '[INFO] Building fmi-api 0.1.0-SNAPSHOT                    [1/2]'
      echo '[WARNING] something'
      echo '[INFO] Building fmi-spi 0.1.0-SNAPSHOT                    [2/2]'
      """;

  @Test
  void aTerminalShowsTheModuleOfHowMany() throws Exception {
    assertThat(build(MODULES, "script", "-qec", "dev/build", "/dev/null"))
        .contains("building FMI (first run only)")
        .contains("building FMI: module 1 of 2, fmi-api", "building FMI: module 2 of 2, fmi-spi")
        .doesNotContain("something")
        .endsWith("\r\u001b[K0");
    assertThat(root.resolve("fmi-run/target/.built")).exists();
  }

  @Test
  void elsewhereItIsSilent() throws Exception {
    assertThat(build(MODULES, "dev/build")).isEqualTo("building FMI (first run only)\n0");
  }

  @Test
  void theSecondTrySaysWhatIsWrong() throws Exception {
    assertThat(build("[ \"$1\" = -v ] || { echo '[ERROR] no wire'; exit 1; }", "dev/build"))
        .isEqualTo(
            """
            building FMI (first run only)
            [ERROR] no wire
            FMI could not be built, see above
            70\
            """);
    assertThat(root.resolve("fmi-run/target/.built")).doesNotExist();
  }
}
