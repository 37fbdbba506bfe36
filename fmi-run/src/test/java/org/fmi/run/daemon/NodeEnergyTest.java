package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.fmi.control.Counter;
import org.fmi.job.control.FromDaemon;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a copy of the files of Linux, with a node's real directory. */
final class NodeEnergyTest {
  /** A number that nobody may change, root neither; as a frequency, 2 GHz or more. */
  private static final Path FIXED = Path.of("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");

  private static final int NODE = 5;
  private static final byte[] SECRET = new byte[32];

  private final String job = UUID.randomUUID().toString().replace("-", "").substring(0, 12);
  private final List<FromDaemon> sent = new ArrayList<>();

  @TempDir private Path root;
  private Path cpus = Path.of("");
  private Path powercap = Path.of("");

  @BeforeEach
  void copyOfASystem() throws IOException {
    cpus = Files.createDirectories(root.resolve("cpu"));
    powercap = Files.createDirectories(root.resolve("powercap"));
    for (int core = 0; core < 2; core++) {
      Path frequency = Files.createDirectories(cpus.resolve("cpu" + core + "/cpufreq"));
      Files.writeString(frequency.resolve("cpuinfo_min_freq"), "1000\n");
      Files.writeString(most(core), "3200000\n");
    }
  }

  @AfterEach
  void noDirectoryStays() throws IOException {
    nextDaemonStarts();
  }

  /** It first makes an end of what was before it. */
  private void nextDaemonStarts() throws IOException {
    NodeFence.fence(job, NODE, 1, SECRET);
  }

  private Path most(int core) {
    return cpus.resolve("cpu" + core + "/cpufreq/scaling_max_freq");
  }

  private NodeDirectory directory() throws IOException {
    return NodeDirectory.create(job, NODE, 0, SECRET);
  }

  private NodeEnergy energy(NodeDirectory directory) {
    return new NodeEnergy(cpus, powercap, directory.path(), sent::add);
  }

  private void assertMost(int kilohertz, int core) {
    assertThat(most(core)).content().isEqualToIgnoringNewLines(String.valueOf(kilohertz));
  }

  @Test
  void coresAreSlowWhileTheirRanksWait() throws IOException {
    NodeEnergy energy = energy(directory());
    energy.slowDown(List.of(0, 1), 1200);
    assertMost(1_200_000, 0);
    assertMost(1_200_000, 1);
    energy.slowDown(List.of(1), 1200);
    assertMost(3_200_000, 0);
    assertMost(1_200_000, 1);
    energy.slowDown(List.of(), 1200);
    assertMost(3_200_000, 1);
    assertThat(sent).isEmpty();
  }

  @Test
  void theEndOfADaemonGivesCoresBackWhatTheyHad() throws IOException {
    NodeDirectory directory = directory();
    energy(directory).slowDown(List.of(0), 1200);
    directory.destroy();
    assertMost(3_200_000, 0);
  }

  @Test
  void aDaemonThatStartsGivesCoresBackWhatAnOlderOneTook() throws IOException {
    energy(directory()).slowDown(List.of(1), 1200);
    assertMost(1_200_000, 1);
    nextDaemonStarts();
    assertMost(3_200_000, 1);
  }

  @Test
  void ifAFileMayNotBeWrittenTheUserIsToldOnce() throws IOException {
    assumeThat(FIXED).isReadable();
    Files.delete(most(1));
    Files.createSymbolicLink(most(1), FIXED);
    NodeEnergy energy = energy(directory());
    energy.slowDown(List.of(0, 1), 1200);
    assertMost(3_200_000, 0);
    assertThat(sent)
        .singleElement()
        .isInstanceOfSatisfying(
            FromDaemon.Warning.class,
            warning ->
                assertThat(warning.text())
                    .contains("--idle-frequency", most(1).toString(), "fmi doctor"));
    energy.slowDown(List.of(0), 1200);
    assertMost(3_200_000, 0);
    assertThat(sent).hasSize(1);
    Files.delete(most(1));
  }

  @Test
  void whatProcessorsTakeIsAmongTheNodesLevels() throws IOException {
    Map<Counter, Long> levels = Map.of(Counter.NODE_MEMORY_FREE_BYTES, 7L);
    NodeDirectory directory = directory();
    assertThat(energy(directory).with(levels)).isEqualTo(levels);
    Path processor = Files.createDirectory(powercap.resolve("intel-rapl:0"));
    Files.writeString(processor.resolve("max_energy_range_uj"), "99000000\n");
    Path taken = Files.writeString(processor.resolve("energy_uj"), "1000000\n");
    NodeEnergy energy = energy(directory);
    Files.writeString(taken, "4000000\n");
    assertThat(energy.with(levels))
        .isEqualTo(Map.of(Counter.NODE_MEMORY_FREE_BYTES, 7L, Counter.NODE_JOULES, 3L));
  }
}
