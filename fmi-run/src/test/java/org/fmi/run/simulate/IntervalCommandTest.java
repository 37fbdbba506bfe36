package org.fmi.run.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IntervalCommandTest {
  private static final String[] JOB = {
    "interval", "-n", "64", "--ppn", "4", "--state", "1GB", "--mtbf", "1h", "--seeds", "3"
  };

  private static Simulated run(String... more) {
    return Simulated.run(JOB, more);
  }

  @Test
  void itAdvisesInOptionsOfFmirun() {
    Simulated output = run("--files-rate", "1GB/s", "--failures", "tsubame2", "--iteration", "1s");
    assertThat(output.status()).isZero();
    assertThat(output.out())
        .startsWith("simulated: 64 ranks on 16 nodes")
        .contains("--group-losses ", "--interval ", "--l2-every auto --l2-mtbf ", "in 3 jobs");
  }

  @Test
  void aSeedGivesTheSameAdvice() {
    assertThat(run("--seed", "5").out()).isEqualTo(run("--seed", "5").out());
    assertThat(run("--seed", "5").out()).isNotEqualTo(run("--seed", "6").out());
  }

  @Test
  void allChoicesAreWrittenAsATable(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("choices.csv");
    assertThat(run("--csv", file.toString()).status()).isZero();
    List<String> rows = Files.readAllLines(file);
    assertThat(rows.getFirst()).startsWith("simulated_group_size,losses,");
    assertThat(rows).hasSizeGreaterThan(4).allMatch(row -> row.split(",", -1).length == 15);
    assertThat(rows).filteredOn(row -> row.endsWith(",1")).hasSize(1);
  }

  @Test
  void badInputIsToldTheRangeAndTheUnit() {
    assertThat(run("--network-rate", "1GB"))
        .returns(64, Simulated::status)
        .returns(
            "fmi: --network-rate 1GB: must be a rate from 100 kB/s to 100 TB/s, as in 500MB/s,"
                + " 4GB/s or 1Gbit/s\n",
            Simulated::err);
    assertThat(run("--failures", "singel").err()).contains("did you mean single?");
    assertThat(run("--node-mtbf", "5y").err()).contains("either --mtbf");
    assertThat(run("--memory", "1MB").err()).contains("no checkpoint groups are possible");
    assertThat(run("--csv", "/nowhere/file").status()).isEqualTo(70);
  }
}
