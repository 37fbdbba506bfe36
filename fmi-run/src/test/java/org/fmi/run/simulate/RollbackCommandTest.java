package org.fmi.run.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RollbackCommandTest {
  private static final String[] JOB = {"rollback", "--iterations", "100", "--seeds", "2"};

  private static Simulated run(String... more) {
    return Simulated.run(JOB, more);
  }

  @Test
  void eachStrategyHasALine(@TempDir Path folder) throws IOException {
    String file = folder.resolve("rollback.csv").toString();
    Simulated output =
        run("--hosts", "64,128", "--failures", "tsubame2", "--shape", "grid", "--csv", file);
    assertThat(output.status()).isZero();
    assertThat(output.out()).startsWith("simulated: means of 2 runs");
    assertThat(output.out().lines()).hasSize(2 + 6);
    List<String> rows = Files.readAllLines(Path.of(file));
    assertThat(rows).hasSize(1 + 6).allMatch(row -> row.split(",", -1).length == 7);
  }

  /** The paper's Algorithm 1: each that helps computes as much as the one that was lost. */
  @Test
  void strategiesAndRangesOfHostsMayBeChosen() {
    Simulated output =
        run("--hosts", "64..200", "--strategy", "flow-paper,flow", "--node-mtbf", "10h");
    assertThat(output.status()).isZero();
    List<String> lines = output.out().lines().skip(2).toList();
    assertThat(lines).hasSize(2 * 3);
    assertThat(lines.get(4)).startsWith("     192  flow-paper ");
    assertThat(lines.get(5)).startsWith("     192  flow ");
    assertThat(again(lines.get(4))).isGreaterThan(again(lines.get(5)));
    assertThat(run("--strategy", "flow_paper").err())
        .contains("must be one of global, local, flow, flow-paper; did you mean flow-paper?");
  }

  private static double again(String line) {
    return Double.parseDouble(line.strip().split(" +")[5]);
  }

  @Test
  void badInputIsToldWhatIsValid() {
    assertThat(run("--sync", "non").err())
        .contains("must be one of checkpoint, none", "mean none?");
    assertThat(run("--shape", "cube").status()).isEqualTo(64);
    assertThat(run("--interval", "0").err()).contains("must be a whole number from 1 to 100,000");
    assertThat(run("--hosts", "16", "--node-mtbf", "60s").err()).contains("does not end");
  }
}
