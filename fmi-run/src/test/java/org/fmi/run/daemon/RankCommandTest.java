package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.data.Percentage;
import org.fmi.job.control.NodeSetup;
import org.fmi.run.Installation;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a JVM makes of a rank's options and those of the user. */
final class RankCommandTest {
  private static final long MIB = 1 << 20;
  private static final Pattern FLAG = Pattern.compile(" (\\w+) += (\\S+) ");

  @TempDir private Path home;

  @BeforeEach
  void installation() throws IOException {
    Files.createDirectories(home.resolve("lib/chronicle"));
    Files.createDirectories(home.resolve("lib/meters"));
    Files.createFile(home.resolve("lib/jvm.options"));
  }

  /** The flags of a JVM that was started as one of {@code ranksOnNode} ranks on a machine. */
  private Map<String, String> flags(
      int ranksOnNode, List<String> jvmOptions, Map<String, String> environment)
      throws IOException, InterruptedException {
    NodeSetup setup =
        NodeSetup.builder()
            .job(RankConfigs.job(ranksOnNode).heartbeatMillis(1000).build())
            .mainClass("Program")
            .jvmOptions(jvmOptions)
            .environment(environment)
            .workDirectory(home.toString())
            .build();
    ProcessBuilder rank =
        new RankCommand(setup, NodeProgram.NONE, new Installation(home), home.resolve("socket"), 2)
            .build(ranksOnNode, List.of());
    List<String> command = new ArrayList<>(rank.command());
    command.addAll(command.indexOf("-cp"), List.of("-XX:+PrintFlagsFinal", "-version"));
    Path out = home.resolve("out");
    Process process =
        rank.command(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it ends").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(out);
    assertThat(process.exitValue()).as(output).isZero();
    Map<String, String> flags = new HashMap<>();
    Matcher matcher = FLAG.matcher(output);
    while (matcher.find()) {
      flags.put(matcher.group(1), matcher.group(2));
    }
    return flags;
  }

  private static long bytes(Map<String, String> flags, String name) {
    return Long.parseLong(flags.getOrDefault(name, "-1"));
  }

  @Test
  void theRanksOfAMachineShareHalfOfItsMemory() throws Exception {
    Map<String, String> flags = flags(4, List.of(), Map.of());
    long memory =
        ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    assertThat(bytes(flags, "MaxHeapSize")).isCloseTo(memory / 2 / 4, Percentage.withPercentage(2));
    assertThat(bytes(flags, "InitialHeapSize")).isCloseTo(memory / 64, within(memory / 1000));
    assertThat(flags).containsEntry("UseSerialGC", "true");
  }

  /** Whether it is less than the share of one rank, or more than that of one of a thousand. */
  @ParameterizedTest
  @CsvSource({
    "1, -Xmx64m, 64, 64",
    "1, -XX:MaxHeapSize=64m, 64, 64",
    "1000, -Xms400m, 400, 400",
    "1000, -XX:InitialHeapSize=400m, 400, 400",
    "1000, -XX:MinHeapSize=400m, 400, 400",
    "1000, -Xms64m -Xmx1g, 1024, 64"
  })
  void theUsersHeapWins(int ranksOnNode, String options, long maxMib, long initialMib)
      throws Exception {
    Map<String, String> flags = flags(ranksOnNode, List.of(options.split(" ", -1)), Map.of());
    assertThat(bytes(flags, "MaxHeapSize")).isEqualTo(maxMib * MIB);
    assertThat(bytes(flags, "InitialHeapSize")).isEqualTo(initialMib * MIB);
  }

  @ParameterizedTest
  @CsvSource({"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"})
  void theSitesHeapAndCollectorWin(String variable) throws Exception {
    assertThat(flags(1, List.of(), Map.of(variable, "-Da=b -XX:+UseG1GC -Xmx64m")))
        .containsEntry("UseG1GC", "true")
        .containsEntry("MaxHeapSize", Long.toString(64 * MIB));
  }

  @Test
  void theUsersCollectorWins() throws Exception {
    assertThat(flags(2, List.of("-XX:+UseZGC"), Map.of())).containsEntry("UseZGC", "true");
  }
}
