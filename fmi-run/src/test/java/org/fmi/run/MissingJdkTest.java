package org.fmi.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where no JDK 25 is found, building and running FMI end with status 70 and one line: what is
 * missing, where it was looked for, and how to get it.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MissingJdkTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PACKAGE = ROOT.resolve("fmi-run/src/package");

  @TempDir private Path directory;

  private record Result(int status, String output) {}

  private static Result run(Map<String, String> variables, Object... command)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    for (Object word : command) {
      words.add(word.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().remove("FMI_JAVA_HOME");
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as(output).isTrue();
    return new Result(process.exitValue(), output);
  }

  /** A directory that looks like a JDK's. */
  private Path jdk(String version) throws IOException {
    Path home = directory.resolve("jdk-" + version);
    Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    executable(home.resolve("bin/java"), "#!/bin/sh\n");
    executable(home.resolve("bin/javac"), "#!/bin/sh\n");
    return home;
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
  }

  private static void assertOneLine(Result result, String found) {
    assertThat(result.status()).as(result.output()).isEqualTo(70);
    assertThat(result.output().lines()).as(result.output()).hasSize(1);
    assertThat(result.output())
        .contains("JDK 25", found, "looked in", "/usr/lib/jvm", "install one", "FMI_JAVA_HOME");
  }

  @Test
  void theBuildSaysWhatIsMissing() throws Exception {
    Path check = ROOT.resolve("dev/jdk");
    assertOneLine(run(Map.of(), check, directory), "none was found");
    Path old = jdk("17.0.9");
    assertOneLine(run(Map.of(), check, directory, old), "the newest found is 17 in " + old);
    Path jdk = jdk("25.0.1");
    assertThat(run(Map.of(), check, old, jdk)).isEqualTo(new Result(0, jdk + "\n"));
  }

  /** That a toolchains.xml exists says nothing about the JDKs it names. */
  @Test
  void theBuildLooksAtToolchains() throws Exception {
    Path check = ROOT.resolve("dev/jdk");
    Path home = Files.createDirectories(directory.resolve("home"));
    Path file = Files.createDirectories(home.resolve(".m2")).resolve("toolchains.xml");
    Path old = jdk("17.0.9");
    Files.writeString(file, toolchain("25", directory + "/absent") + toolchain("17", old + ""));
    assertOneLine(run(Map.of(), check, file), "the newest found is 17 in " + old);

    Path jdk = jdk("25.0.1");
    Files.writeString(file, toolchain("17", old + "") + toolchain("25", "\n  ${env.HOME}/../25\n"));
    Files.createSymbolicLink(directory.resolve("25"), jdk);
    Result found = new Result(0, home + "/../25\n");
    assertThat(run(Map.of("HOME", home + ""), check, file)).isEqualTo(found);
    assertThat(run(Map.of("HOME", home + ""), check)).isEqualTo(found);
  }

  private static String toolchain(String version, String home) {
    return "<toolchain><type>jdk</type><provides><version>"
        + version
        + "</version></provides>\n<configuration><jdkHome>"
        + home
        + "</jdkHome></configuration></toolchain>\n";
  }

  /** It does not leave it to Maven, whose page of errors does not say it. */
  @Test
  void theBuildSaysItBeforeMavenRuns() throws Exception {
    Path dev = Files.createDirectories(directory.resolve("tree/dev"));
    Path build = Files.copy(ROOT.resolve("dev/build"), dev.resolve("build"));
    Files.copy(ROOT.resolve("dev/mvn"), dev.resolve("mvn"), StandardCopyOption.COPY_ATTRIBUTES);
    executable(dev.resolve("jdk"), "#!/bin/sh\necho no JDK >&2\nexit 70\n");
    Path maven = Files.createDirectories(directory.resolve("maven"));
    executable(maven.resolve("mvn"), "#!/bin/sh\necho Maven runs\n");
    Map<String, String> path = Map.of("PATH", maven + ":" + System.getenv("PATH"));
    assertThat(run(path, "bash", build)).isEqualTo(new Result(70, "no JDK\n"));
  }

  @Test
  void whatIsInstalledSaysWhatIsMissing() throws Exception {
    String script =
        ". \"$0\"; fmi_java_places() { places=(\"$home\"); }; home=$1; fmi_find_java fmirun";
    Path launch = PACKAGE.resolve("lib/launch.sh");
    Result none = run(Map.of(), "bash", "-euc", script, launch, directory);
    assertOneLine(none, "none was found");
    assertThat(none.output()).startsWith("fmirun: ");
    Result old = run(Map.of(), "bash", "-euc", script, launch, jdk("24"));
    assertOneLine(old, "the newest found is 24");
  }

  @Test
  void aWrongDirectoryIsNamed() throws Exception {
    Map<String, String> variables = Map.of("FMI_JAVA_HOME", directory.toString());
    for (String tool : List.of("fmirun", "fmi", "fmi-daemon")) {
      Result result = run(variables, PACKAGE.resolve("bin").resolve(tool), "-n", "1", "a.jar");
      assertThat(result)
          .isEqualTo(
              new Result(
                  70,
                  tool
                      + ": FMI_JAVA_HOME="
                      + directory
                      + ": no JDK 25 there (none was found); set it to the directory of a JDK"
                      + " 25\n"));
    }
  }
}
