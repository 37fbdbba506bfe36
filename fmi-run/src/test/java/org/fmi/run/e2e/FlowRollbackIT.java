package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real processes of which only those compute again that the lost data came from; the program
 * compares its answer with that of a serial one, bit by bit.
 */
@Execution(ExecutionMode.CONCURRENT)
final class FlowRollbackIT {
  @TempDir private Path directory;

  private Fmirun heat(String grid, String... options) {
    List<String> all = new ArrayList<>(List.of("--interval", "100", "--rollback", "flow"));
    all.addAll(List.of(options));
    all.addAll(List.of(Fmirun.example("heat2d-flow"), "--size", "48", "--iterations", "10"));
    all.addAll(List.of("--grid-ranks", grid));
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  /** In a row of ranks. */
  @Test
  void onlyNeighboursComputeAgain() throws IOException, InterruptedException {
    Fmirun.Result result = heat("1x3", "-n", "3", "--kill", "rank0@1").run().succeeded();

    assertThat(result.value("check")).isEqualTo("ok");
    assertThat(result.events("FlowBegun"))
        .singleElement()
        .satisfies(
            e ->
                assertThat(e)
                    .containsEntry("from", "0")
                    .containsEntry("to", "1")
                    .containsEntry("lost", "[0]")
                    .containsEntry("helpers", "[1]")
                    .containsEntry("computed", "1")
                    .containsEntry("computedBy", "[0: 1, 1: 0]"));
    assertThat(result.err()).contains("flow rollback: rank 0 recomputes from iteration 0 to 1");
  }

  /** The paper's example (Fig. 4), whose checkpoint is taken one iteration later. */
  @Test
  @Wide
  void fiveOfEightRanksLoadTheirCheckpoint() throws IOException, InterruptedException {
    Fmirun.Result result =
        heat("4x2", "-n", "8", "--ppn", "2", "--spares", "1", "--kill", "rank1@2")
            .run()
            .succeeded();

    assertThat(result.value("check")).isEqualTo("ok");
    assertThat(result.events("FlowBegun"))
        .singleElement()
        .satisfies(
            e ->
                assertThat(e)
                    .containsEntry("helpers", "[0, 2, 3, 5]")
                    .containsEntry("computed", "4")
                    .containsEntry("computedBy", "[0: 1, 1: 2, 2: 0, 3: 1, 5: 0]"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rank1@2:recompute",
        "rank3@0:recompute",
        "rank0@restored",
        "node2@connect",
        "rank1@init"
      })
  @Wide
  void anotherRankIsLostDuringTheRecovery(String second) throws IOException, InterruptedException {
    Fmirun.Result result =
        heat("4x2", "-n", "8", "--ppn", "2", "--spares", "2", "--kill", "rank1@3", "--kill", second)
            .run()
            .succeeded();

    assertThat(result.value("check")).isEqualTo("ok");
  }
}
