package org.fmi.run.energy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a copy of the files of Linux. */
final class CpuFrequenciesTest {
  @TempDir private Path directory;
  private Path cpus = Path.of("");
  private Path node = Path.of("");

  @BeforeEach
  void copyOfASystem() throws IOException {
    cpus = Files.createDirectory(directory.resolve("cpu"));
    node = Files.createDirectory(directory.resolve("node"));
    for (int core = 0; core < 4; core++) {
      Path frequency = Files.createDirectories(cpus.resolve("cpu" + core + "/cpufreq"));
      Files.writeString(frequency.resolve("scaling_max_freq"), most(core) + "\n");
      Files.writeString(frequency.resolve("cpuinfo_min_freq"), "1200000\n");
    }
  }

  private static int most(int core) {
    return 3_200_000 + core;
  }

  private int now(int core) throws IOException {
    Path file = cpus.resolve("cpu" + core + "/cpufreq/scaling_max_freq");
    return Integer.parseInt(Files.readString(file).strip());
  }

  private void assertSlow(int kilohertz, Integer... slow) throws IOException {
    for (int core = 0; core < 4; core++) {
      assertThat(now(core))
          .as("core %d", core)
          .isEqualTo(List.of(slow).contains(core) ? kilohertz : most(core));
    }
    assertThat(node.resolve("frequencies").toFile().exists()).isEqualTo(slow.length > 0);
  }

  @Test
  void coresAreSlowWhileTheyAreNamed() throws IOException {
    CpuFrequencies frequencies = new CpuFrequencies(cpus, node);
    frequencies.slowDown(List.of(1, 2), 2000);
    assertSlow(2_000_000, 1, 2);
    frequencies.slowDown(List.of(2, 3), 2000);
    assertSlow(2_000_000, 2, 3);
    frequencies.slowDown(List.of(), 2000);
    assertSlow(0);
  }

  @Test
  void noneIsSlowerThanItCanBe() throws IOException {
    new CpuFrequencies(cpus, node).slowDown(List.of(0), 1);
    assertSlow(1_200_000, 0);
  }

  /** Another job may have done that: what it had is not known here. */
  @Test
  void whatIsSlowAlreadyIsLeftAlone() throws IOException {
    Files.writeString(cpus.resolve("cpu1/cpufreq/scaling_max_freq"), "1200000");
    CpuFrequencies frequencies = new CpuFrequencies(cpus, node);
    frequencies.slowDown(List.of(1), 1300);
    frequencies.slowDown(List.of(), 1300);
    assertThat(now(1)).isEqualTo(1_200_000);
  }

  /** Each core of two threads, 0 and 2, 1 and 3: the other one may be busy. */
  @Test
  void aThreadIsSlowOnlyTogetherWithItsSibling() throws IOException {
    for (int core = 0; core < 4; core++) {
      Path topology = Files.createDirectory(cpus.resolve("cpu" + core + "/topology"));
      Files.writeString(
          topology.resolve("thread_siblings_list"), core % 2 + "," + (core % 2 + 2) + "\n");
      Files.writeString(cpus.resolve("cpu" + core + "/cpufreq/affected_cpus"), core + "\n");
    }
    CpuFrequencies frequencies = new CpuFrequencies(cpus, node);
    frequencies.slowDown(List.of(0, 1), 1200);
    assertSlow(0);
    frequencies.slowDown(List.of(0, 1, 2), 1200);
    assertSlow(1_200_000, 0, 2);
    frequencies.slowDown(List.of(1, 2, 3), 1200);
    assertSlow(1_200_000, 1, 3);
  }

  /** Linux has one file for them, which is seen under each. */
  @Test
  void coresWithOneLimitAreSlowTogether() throws IOException {
    Path common = Files.createDirectory(cpus.resolve("policy1"));
    Files.writeString(common.resolve("scaling_max_freq"), "3200000\n");
    Files.writeString(common.resolve("cpuinfo_min_freq"), "1200000\n");
    Files.writeString(common.resolve("affected_cpus"), "4 5 6\n");
    for (int core = 4; core < 7; core++) {
      Path directory = Files.createDirectory(cpus.resolve("cpu" + core));
      Files.createSymbolicLink(directory.resolve("cpufreq"), common);
    }
    CpuFrequencies frequencies = new CpuFrequencies(cpus, node);
    frequencies.slowDown(List.of(3, 4, 6), 1200);
    assertSlow(1_200_000, 3);
    assertThat(now(4)).isEqualTo(3_200_000);
    frequencies.slowDown(List.of(4, 5, 6), 1200);
    assertThat(now(4)).isEqualTo(1_200_000);
    frequencies.slowDown(List.of(4, 6), 1200);
    assertThat(now(4)).isEqualTo(3_200_000);
    assertSlow(0);
  }

  /** The daemon was killed: whoever clears away behind it finds what cores had. */
  @Test
  void whoClearsAwayRestoresThem() throws IOException {
    new CpuFrequencies(cpus, node).slowDown(List.of(0, 3), 1200);
    assertSlow(1_200_000, 0, 3);
    CpuFrequencies.restore(node);
    assertSlow(0);
    CpuFrequencies.restore(node);
    assertSlow(0);
  }

  @Test
  void ifOneCannotBeSlowedDownNoneIs() throws IOException {
    CpuFrequencies frequencies = new CpuFrequencies(cpus, node);
    frequencies.slowDown(List.of(0), 1200);
    assertThatThrownBy(() -> frequencies.slowDown(List.of(0, 1, 7), 1200))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cpu7");
    assertSlow(0);
  }

  @Test
  void saysWhatIsMissing() throws IOException {
    assertThat(CpuFrequencies.problem(cpus, 0)).isNull();
    assertThat(CpuFrequencies.problem(cpus, 7)).contains("virtual machine");
    Path file = cpus.resolve("cpu0/cpufreq/scaling_max_freq");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    if (!Files.isWritable(file)) { // root may always
      assertThat(CpuFrequencies.problem(cpus, 0)).contains("may not write to " + file);
    }
  }
}
