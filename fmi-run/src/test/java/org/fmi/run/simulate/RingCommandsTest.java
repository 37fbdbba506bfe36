package org.fmi.run.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code fmi simulate broadcast} and {@code heartbeat}. */
final class RingCommandsTest {
  private static final String[] BROADCAST = {"broadcast", "--seeds", "2"};
  private static final String[] HEARTBEAT = {"heartbeat", "--seeds", "20"};

  @Test
  void aBroadcastIsCounted(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("broadcast.csv");
    Path plots = folder.resolve("plots");
    Simulated output =
        Simulated.run(
            BROADCAST, "--failures", "1,2", "--csv", file.toString(), "--plot", plots.toString());
    assertThat(output.err()).isEmpty();
    assertThat(output.out().lines())
        .hasSize(2 + 2 * 4)
        .contains("         1  chord             4,302     8.0    0.50            0")
        .contains("         1  logring           8,143     4.0    0.95            0");
    assertThat(Files.readAllLines(file)).hasSize(1 + 2 * 4).contains("480,1,bmg,8604.00,5.00000,0");
    assertThat(plots.resolve("broadcast.svg")).content().contains("<polyline", ">hba</text>");
  }

  @Test
  void timeoutsAreCounted(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("heartbeat.csv");
    Simulated output =
        Simulated.run(
            HEARTBEAT, "--failures", "4,16", "--csv", file.toString(), "--plot", folder.toString());
    assertThat(output.err()).isEmpty();
    List<String> lines = output.out().lines().toList();
    assertThat(lines)
        .hasSize(2 + 2 * 6)
        .contains("         4  adjacent  in order  paper's   7.00      7")
        .contains("         4  adjacent  in order  FMI's     4.00      4")
        .contains("        16  adjacent  in order  paper's  31.00     31");
    assertThat(Files.readAllLines(file)).hasSize(1 + 2 * 6);
    assertThat(folder.resolve("heartbeat.svg")).content().contains("adjacent, shuffled, FMI's");
  }

  @Test
  void badInputIsToldWhatIsValid(@TempDir Path folder) throws IOException {
    assertThat(Simulated.run(BROADCAST, "--hosts", "1", "--ppn", "1").err())
        .isEqualTo("fmi: --hosts and --ppn: 1 ranks; a ring is simulated with 2 to 100,000\n");
    assertThat(Simulated.run(HEARTBEAT, "--failures", "480").err())
        .contains("--failures 480", "from 1 to 479");
    Path file = Files.writeString(folder.resolve("file"), "");
    Simulated unwritable = Simulated.run(BROADCAST, "--failures", "1", "--plot", file.toString());
    assertThat(unwritable.status()).isEqualTo(70);
    assertThat(unwritable.err()).startsWith("fmi: --plot " + file + ": cannot be written");
  }
}
