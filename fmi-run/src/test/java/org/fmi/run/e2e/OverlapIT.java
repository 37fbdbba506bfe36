package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.fmi.testkit.turns.Variants;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real processes that go on while checkpoints are taken. The answer is that of a run without
 * failures, bit by bit.
 */
@Execution(ExecutionMode.CONCURRENT)
final class OverlapIT {
  /** What himeno computes without failures. */
  private static String expected = "";

  @TempDir private Path directory;

  @BeforeAll
  static void undisturbed(@TempDir Path directory) throws IOException, InterruptedException {
    expected = himeno(directory).run().succeeded().value("gosa");
  }

  private static Fmirun example(
      Path directory, String name, List<String> arguments, String... options) {
    List<String> all = new ArrayList<>(List.of("-n", "4"));
    all.addAll(List.of(options));
    if (!all.contains("--ppn")) {
      // Undisturbed, on one node: as few processes as will do.
      all.addAll(List.of("--ppn", options.length == 0 ? "4" : "1"));
    }
    if (!all.contains("--interval")) {
      all.addAll(List.of("--interval", "10"));
    }
    all.add(Fmirun.example(name));
    all.addAll(arguments);
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  private static Fmirun himeno(Path directory, String... options) {
    return example(directory, "himeno", List.of("--grid", "XS", "--iterations", "60"), options);
  }

  @Test
  void allGoBackToACheckpointThatNobodyHasWaitedFor() throws IOException, InterruptedException {
    Fmirun.Result result =
        himeno(directory, "--spares", "1", "--checkpoint", "overlapped", "--kill", "node2@47")
            .run()
            .succeeded();
    assertThat(result.value("gosa")).isEqualTo(expected);
    // Beside those at the beginning and at the end.
    assertThat(result.events("CheckpointCommitted")).hasSizeGreaterThan(2);
  }

  /** All go back to a checkpoint of which little was coded, and take others from there. */
  @Variants
  @ParameterizedTest
  @CsvSource({
    "overlapped, node2@227",
    "blocking, node2@227",
    "blocking, rank0@120:checkpoint",
    "blocking, node1@120:encode",
    "blocking, node3@120:commit"
  })
  void whatHasNotChangedIsNotCoded(String mode, String kill)
      throws IOException, InterruptedException {
    Fmirun.Result result =
        new Fmirun(
                directory,
                "-n",
                "4",
                "--ppn",
                "1",
                "--spares",
                "1",
                "--interval",
                "10",
                "--checkpoint",
                mode,
                "--kill",
                kill,
                "-cp",
                "target/test-classes",
                RestingProgram.class.getName())
            .run()
            .succeeded();
    assertThat(result.value("state")).isEqualTo(RestingProgram.result(4));
    assertThat(result.err()).doesNotContain("never happened");
    List<Map<String, String>> before =
        result.events("CheckpointCommitted").stream()
            .filter(event -> "0".equals(event.get("epoch")))
            .toList();
    assertThat(number(before.getFirst(), "codedBytes"))
        .isEqualTo(number(before.getFirst(), "bytes"));
    assertThat(before).anyMatch(event -> number(event, "codedBytes") < number(event, "bytes") / 2);
  }

  private static long number(Map<String, String> event, String field) {
    return Long.parseLong(event.get(field));
  }

  /**
   * Ranks may be in different iterations, and the one that is lost has a checkpoint of its own. A
   * death in an iteration may fall into the commit of the line before: then all go back (decision
   * 48). One at a place of a checkpoint is before that.
   */
  @Variants
  @ParameterizedTest
  @ValueSource(strings = {"node2@47", "rank0@33", "rank3@10:encode", "node1@20:checkpoint"})
  void onlyTheFailedRankGoesBack(String kill) throws IOException, InterruptedException {
    Fmirun.Result result =
        himeno(
                directory,
                "--spares",
                "1",
                "--checkpoint",
                "overlapped",
                "--rollback",
                "local",
                "--kill",
                kill)
            .run()
            .succeeded();
    assertThat(result.value("gosa")).isEqualTo(expected);
    assertThat(result.err()).doesNotContain("never happened");
    assertThat(result.events("CheckpointCommitted")).hasSizeGreaterThan(2);
    if (kill.contains(":") || !result.err().contains("is taking a checkpoint")) {
      assertThat(result.events("CaughtUp")).as(result.err()).hasSize(1);
      assertThat(result.events("Left")).as(result.err()).isEmpty();
    }
  }

  /**
   * In each phase of a line: ranks that talk over TCP alone, and in shared memory alone, whose node
   * must not be lost. What ranks tell each other goes up a tree from rank 3 by 2 to 0, and down.
   */
  static Stream<Arguments> placesOnTheWay() {
    List<String> phases =
        List.of(
            "agree",
            "checkpoint",
            "begun",
            "collect",
            "collected",
            "encode",
            "commit",
            "committed");
    return phases.stream()
        .flatMap(
            phase ->
                Stream.of("rank2 1", "node0 1", "rank3 4")
                    .map(victim -> victim.split(" "))
                    .flatMap(
                        victim ->
                            Stream.of("local", "global")
                                .map(
                                    mode ->
                                        Arguments.of(
                                            mode, victim[1], victim[0] + "@10:" + phase))));
  }

  @Wide
  @ParameterizedTest
  @MethodSource("placesOnTheWay")
  void aDeathOnTheWayFromTheLineToItsCommit(String mode, String ranksOnNode, String kill)
      throws IOException, InterruptedException {
    Fmirun.Result result =
        himeno(
                directory,
                "--ppn",
                ranksOnNode,
                "--spares",
                "1",
                "--checkpoint",
                "overlapped",
                "--rollback",
                mode,
                "--kill",
                kill)
            .run()
            .succeeded();
    assertThat(result.value("gosa")).isEqualTo(expected);
    assertThat(result.err()).doesNotContain("never happened");
    assertThat(result.count("RecoveryBegun")).as(result.err()).isEqualTo(1);
    if (mode.equals("local") && kill.matches(".*:(checkpoint|begun|collect)")) {
      // No rank's part can be complete before all have said that nothing is wrong with theirs.
      assertThat(result.events("CaughtUp")).as(result.err()).hasSize(1);
      assertThat(result.events("Left")).as(result.err()).isEmpty();
    }
  }

  @Wide
  @ParameterizedTest
  @ValueSource(strings = {"blocking", "overlapped"})
  void byTime(String mode) throws IOException, InterruptedException {
    Fmirun.Result result =
        himeno(
                directory,
                "--spares",
                "1",
                "--interval",
                "5ms",
                "--checkpoint",
                mode,
                "--kill",
                "node2@47")
            .run()
            .succeeded();
    assertThat(result.value("gosa")).isEqualTo(expected);
    // Beside those at the beginning and at the end.
    assertThat(result.events("CheckpointCommitted")).hasSizeGreaterThan(2);
  }

  @Wide
  @ParameterizedTest
  @CsvSource({
    "farm, sum, global",
    "cg, residual, global",
    "farm, sum, local",
    "cg, residual, local",
    "lu, sum, local"
  })
  void answersOfOtherExamplesAreTheSame(String name, String key, String rollback)
      throws IOException, InterruptedException {
    String answer = example(directory, name, List.of()).run().succeeded().value(key);
    Fmirun.Result result =
        example(
                directory,
                name,
                List.of(),
                "--checkpoint",
                "overlapped",
                "--rollback",
                rollback,
                "--kill",
                "rank1@25")
            .run()
            .succeeded();
    assertThat(result.value(key)).isEqualTo(answer);
  }
}
