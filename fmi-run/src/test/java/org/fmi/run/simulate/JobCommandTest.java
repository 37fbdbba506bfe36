package org.fmi.run.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class JobCommandTest {
  private record Output(int status, String out, String err) {}

  private static Output run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CommandLine command =
        new CommandLine(
            SimulateCommand.spec(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8)));
    int status = command.execute(args);
    return new Output(
        status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void itSaysHowLongEachStepTakesAndWhatWasDecided(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("job.csv");
    Output output = run("job", "--nodes", "4,8", "--ppn", "2", "--csv", file.toString());
    assertThat(output.status).isZero();
    assertThat(output.out).startsWith("simulated: ").contains("NodeUp", "Joined", "Suspect", "all");
    List<String> rows = Files.readAllLines(file);
    assertThat(rows.getFirst()).startsWith("simulated_nodes,ranks,");
    assertThat(rows).allMatch(row -> row.split(",", -1).length == 5);
    assertThat(rows).filteredOn(row -> row.contains(",running again,")).hasSize(2);
  }

  /** With what was measured on the machine of the calibration. */
  @Test
  void itComparesWithWhatWasMeasured() {
    Output output = run("job", "--check");
    assertThat(output.status).isZero();
    assertThat(output.out.lines()).hasSize(2 + 6);
    assertThat(output.out).contains("    4  running", "   64  recovered", " %");
  }

  @Test
  void badInputIsToldTheRangeAndTheUnit() {
    assertThat(run("job", "--nodes", "1").err)
        .isEqualTo("fmi: --nodes 1: must be a whole number from 2 to 100,000, as in 1000 or 1e3\n");
    assertThat(run("job", "--nodes", "100,x")).returns(64, Output::status);
    assertThat(run("job", "--nodes", "100000", "--ppn", "4").err)
        .contains("more ranks than can be simulated, 200,000");
    assertThat(run("job", "--latency", "50").err).contains("must be a time from");
  }
}
