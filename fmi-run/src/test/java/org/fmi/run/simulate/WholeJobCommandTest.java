package org.fmi.run.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Early, as it collects garbage again and again: other tests leave much that is none. */
@Order(2)
final class WholeJobCommandTest {
  private static final String[] JOB = {"job"};

  private static Simulated run(String... more) {
    return Simulated.run(JOB, more);
  }

  @Test
  void itSaysHowLongEachStepTakesAndWhatWasDecided(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.csv");
    Simulated output = run("--nodes", "4,8", "--ppn", "2", "--csv", file.toString());
    assertThat(output.status()).isZero();
    assertThat(output.out())
        .startsWith("simulated: ")
        .contains("NodeUp", "Joined", "Suspect", "all");
    List<String> rows = Files.readAllLines(file);
    assertThat(rows.getFirst()).startsWith("simulated_nodes,ranks,");
    assertThat(rows).allMatch(row -> row.split(",", -1).length == 6);
    assertThat(rows).filteredOn(row -> row.contains(",running again,")).hasSize(2);
  }

  @Test
  void itSaysWhatAnEventCostsInEachStep(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.csv");
    Simulated output = run("--nodes", "64", "--csv", file.toString());
    assertThat(output.out()).contains("start: each", "recovery: each", "bytes per rank");
    assertThat(Files.readAllLines(file))
        .anyMatch(row -> row.matches("64,64,1,start: NodeUp,[1-9]\\d*,looks"))
        .anyMatch(row -> row.matches("64,64,1,recovery: NodeLost,[1-9]\\d*,most looks"))
        .anyMatch(row -> row.matches("64,64,1,heap of the decision maker,-?\\d+,bytes"));
  }

  /** But for those that take all nodes. */
  @Test
  void eachKindOfFailureIsSimulatedOnce(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.csv");
    String csv = file.toString();
    assertThat(
            run("--nodes", "5,16", "--failures", "tsubame2", "--spares", "4", "--csv", csv)
                .status())
        .isZero();
    assertThat(Files.readAllLines(file))
        .filteredOn(row -> row.contains(",running again,"))
        .extracting(row -> row.substring(0, row.indexOf(",running")))
        .containsExactly("5,5,1", "5,5,4", "16,16,1", "16,16,4");
    assertThat(run("--failures", "rack").err()).contains("must be one of single, tsubame2");
  }

  /** With what was measured on the machine of the calibration. */
  @Test
  void itComparesWithWhatWasMeasured() {
    Simulated output = run("--check");
    assertThat(output.status()).isZero();
    assertThat(output.out().lines()).hasSize(2 + 6);
    assertThat(output.out()).contains("    4  running", "   64  recovered", " %");
  }

  @Test
  void badInputIsToldTheRangeAndTheUnit() {
    assertThat(run("--nodes", "1").err())
        .isEqualTo(
            "fmi: --nodes 1: must be a whole number from 2 to 1,000,000, as in 1000 or 1e3\n");
    assertThat(run("--nodes", "100,x")).returns(64, Simulated::status);
    assertThat(run("--nodes", "100000", "--ppn", "11").err())
        .contains("too many ranks to simulate; the limit is 1,000,000");
    assertThatThrownBy(() -> WholeJobCommand.requireMemory(1_000_000, 2_000_000_000))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "--nodes: 1,000,000 ranks need about 3 GB of memory, more than 2 GB, half of"
                + " the machine's");
    WholeJobCommand.requireMemory(1_000_000, 3_000_000_000L);
    assertThat(run("--latency", "50").err()).contains("must be a time from");
  }
}
