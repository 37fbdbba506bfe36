package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A graph of tasks whose ranks are killed: the product stays the same. */
final class TasksIT {
  /** Of matrices of 600 rows in blocks of 100, computed by one rank. */
  private static final String PRODUCT = "ede3611a";

  @TempDir private Path directory;

  private Fmirun.Result run(int ranks, String options) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "" + ranks));
    all.addAll(List.of(options.split(" ")));
    all.addAll(List.of(Fmirun.example("matmul-tasks"), "--size", "600", "--block", "100"));
    Fmirun.Result result = new Fmirun(directory, all.toArray(String[]::new)).run().succeeded();
    assertThat(result.value("check")).isEqualTo("ok");
    assertThat(result.value("product")).isEqualTo(PRODUCT);
    return result;
  }

  @Test
  void oneRank() throws IOException, InterruptedException {
    run(1, "--interval 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--kill rank3@1:task",
        "--kill rank0@1:task",
        "--kill rank1@1:task --rollback local --ppn 1 --spares 1"
      })
  void aRankIsReplaced(String options) throws IOException, InterruptedException {
    assertThat(run(4, options).value("recoveries")).isEqualTo("1");
  }

  /**
   * Of the agreements of a rank, the first two make communicators. Number 2 ends the first round,
   * or follows a loss in it, and number 3 then makes the communicator of those that are left.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "rank3@1:task",
        "rank0@1:task",
        "rank0@0:task",
        "rank1@1:task,rank2@1:task",
        "rank0@1:task,rank1@1:task,rank2@0:task",
        "rank3@1:task,rank0@2:agree",
        "rank3@1:task,rank1@3:agree",
        "rank0@1:agree",
        "rank2@0:agree"
      })
  void theOthersContinue(String kills) throws IOException, InterruptedException {
    String options = "--on-failure shrink --kill " + kills.replace(",", " --kill ");
    Fmirun.Result result = run(4, options);
    assertThat(result.value("recoveries")).isEqualTo("0");
    assertThat(result.err()).doesNotContain("never happened");
  }
}
