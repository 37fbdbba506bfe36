package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Real processes die, and the others go on without them. */
@Execution(ExecutionMode.CONCURRENT)
final class ShrinkIT {
  @TempDir private Path directory;

  private Fmirun.Result run(List<String> options, String kill, String... program)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "4", "--on-failure", "shrink"));
    all.addAll(options);
    all.addAll(List.of("-cp", "target/test-classes", ShrinkProgram.class.getName()));
    all.addAll(List.of(program));
    return new Fmirun(directory, all.toArray(String[]::new))
        .env("FMI_KILL", kill)
        .run()
        .succeeded();
  }

  /** The call is made over shared memory by all four, over TCP by each, and by both. */
  @ParameterizedTest
  @CsvSource({
    "sendRecv, 4, rank3@20, 3, 0",
    "sendRecv, 1, rank0@20, 3, 1",
    "anySource, 4, rank0@20, 3, 1",
    "anySource, 1, rank2@20, 3, 0",
    "object, 2, rank1@20, 3, 0",
    "allReduce, 4, rank1@20, 3, 0",
    "allReduce, 1, rank0@20, 3, 1",
    "bcast, 2, 'rank3@20,rank0@20', 2, 1",
    "barrier, 4, 'rank0@20,rank1@20', 2, 2",
    "split, 2, rank2@20, 3, 0",
    "split, 4, rank2@20, 3, 0",
    "allReduce, 2, rank1@prologue, 3, 0",
    "barrier, 1, rank3@20:agree, 3, 0",
    "sendRecv, 4, rank0@20:agree, 3, 1",
    "sendRecv, 2, node1@20, 2, 0"
  })
  void theOthersGoOn(String call, String ranksOnNode, String kill, int left, int first)
      throws IOException, InterruptedException {
    Fmirun.Result result = run(List.of("--ppn", ranksOnNode), kill, call);
    assertThat(result.value("ranks")).isEqualTo(Integer.toString(left));
    assertThat(result.value("at")).isEqualTo(Integer.toString(first));
    assertThat(result.count("RecoveryBegun")).isZero();
  }

  /** Half a timeout of silence is no loss; a process that is silent for three is. */
  @ParameterizedTest
  @CsvSource({"1, 4", "6, 3"})
  void aRankThatStopsIsLostIfItIsSilentForLong(String seconds, int left)
      throws IOException, InterruptedException {
    Fmirun.Result result = run(List.of("--ppn", "1", "--heartbeat", "2"), "", "barrier", seconds);
    assertThat(result.value("ranks")).isEqualTo(Integer.toString(left));
    assertThat(result.count("RecoveryBegun")).isZero();
  }

  @Test
  void theExampleGoesOn() throws IOException, InterruptedException {
    Fmirun.Result result =
        new Fmirun(
                directory,
                "-n",
                "8",
                "--on-failure",
                "shrink",
                "--kill",
                "rank3@40",
                Fmirun.example("shrink-ring"))
            .run()
            .succeeded();
    assertThat(result.value("ranks")).isEqualTo("7");
    assertThat(result.value("steps")).isEqualTo("100");
    assertThat(result.value("check")).isEqualTo("ok");
    assertThat(result.err()).contains("lost 3");
  }
}
