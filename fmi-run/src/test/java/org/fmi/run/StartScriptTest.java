package org.fmi.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What keeps a JVM from starting is said in one line before one is started. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StartScriptTest {
  private static final Path PACKAGE =
      Path.of("..").toAbsolutePath().normalize().resolve("fmi-run/src/package");

  private static final String DEBUGGER = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n";

  @TempDir private Path directory;

  private record Result(int status, String output) {}

  private Result run(Map<String, String> variables, String script, Path... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-uc", script, "bash")
            .directory(directory.toFile())
            .redirectErrorStream(true);
    for (Path argument : arguments) {
      builder.command().add(argument.toString());
    }
    for (String name : List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")) {
      builder.environment().remove(name);
    }
    // A tool that gets as far as to look for a JDK finds none.
    builder.environment().put("FMI_JAVA_HOME", directory.toString());
    builder.environment().putAll(variables);
    Process process = builder.start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as(output).isTrue();
    return new Result(process.exitValue(), output);
  }

  private Path tool(String name) {
    return PACKAGE.resolve("bin").resolve(name);
  }

  @ParameterizedTest
  @CsvSource({"fmirun", "fmi"})
  void theWorkingDirectoryIsGone(String name) throws Exception {
    String gone = "mkdir gone && cd gone && rmdir ../gone && exec \"$1\" jobs";
    Result result = run(Map.of(), gone, tool(name));
    assertThat(result.status()).as(result.output()).isEqualTo(64);
    assertThat(result.output().lines().toList().getLast())
        .isEqualTo(
            name + ": the working directory does not exist any more; change to another directory");
    Result linked =
        run(Map.of(), "mkdir there && ln -s there link && cd link && exec \"$1\"", tool(name));
    assertThat(linked.output()).startsWith(name + ": FMI_JAVA_HOME=");
  }

  /** Each JVM takes the variable, and only one gets the port. */
  @ParameterizedTest
  @CsvSource({
    "JAVA_TOOL_OPTIONS, '-Xmx1g %s,address=5005', 5005",
    "JDK_JAVA_OPTIONS, '%s,address=*:8000 -ea', *:8000",
    "_JAVA_OPTIONS, '-Xrunjdwp:transport=dt_socket,address=ide:5005,server=n', ide:5005"
  })
  void aDebuggersPortForAllJvms(String variable, String options, String port) throws Exception {
    Result result =
        run(
            Map.of(variable, options.formatted(DEBUGGER)),
            "exec \"$1\" -n 2 a.jar",
            tool("fmirun"));
    assertThat(result.status()).as(result.output()).isEqualTo(64);
    assertThat(result.output().lines()).hasSize(1);
    assertThat(result.output())
        .startsWith("fmirun: " + variable + ": ")
        .contains("debugger port " + port + ", ", "-J 0:-agentlib:jdwp");
  }

  @ParameterizedTest
  @CsvSource({"%s", "'%s,address=0'", "'%s,address=*:0'", "-Xmx1g"})
  void aPortOfTheirOwnForEach(String options) throws Exception {
    Map<String, String> variable = Map.of("JAVA_TOOL_OPTIONS", options.formatted(DEBUGGER));
    assertThat(run(variable, "exec \"$1\" -n 2 a.jar", tool("fmirun")).output())
        .startsWith("fmirun: FMI_JAVA_HOME=");
  }

  @Test
  void aDaemonIsNotToldTwice() throws Exception {
    Map<String, String> variable = Map.of("JAVA_TOOL_OPTIONS", DEBUGGER + ",address=5005");
    assertThat(run(variable, "exec \"$1\"", tool("fmi-daemon")).output())
        .startsWith("fmi-daemon: FMI_JAVA_HOME=");
  }
}
