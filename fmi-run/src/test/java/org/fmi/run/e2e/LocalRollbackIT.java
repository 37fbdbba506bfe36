package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.fmi.testkit.turns.Variants;
import org.fmi.testkit.turns.Wide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real processes of which only those that fail go back. The answer is that of a run without
 * failures, bit by bit. Places to die are tried in {@link RecoveryIT}.
 */
@Execution(ExecutionMode.CONCURRENT)
final class LocalRollbackIT {
  @TempDir private Path directory;

  private Fmirun example(String name, List<String> arguments, String... options) {
    List<String> all = new ArrayList<>(List.of("-n", "4", "--interval", "10"));
    all.addAll(List.of(options));
    if (!all.contains("--ppn")) {
      // Undisturbed, on one node: as few processes as will do.
      all.addAll(List.of("--ppn", options.length == 0 ? "4" : "1"));
    }
    all.add(Fmirun.example(name));
    all.addAll(arguments);
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  private Fmirun himeno(String... options) {
    return example("himeno", List.of("--grid", "XS", "--iterations", "30"), options);
  }

  @Test
  void onlyTheFailedRankComputesAgain() throws IOException, InterruptedException {
    String gosa = himeno().run().succeeded().value("gosa");
    Fmirun.Result result = himeno("--spares", "1", "--kill", "node2@17").run().succeeded();

    assertThat(result.value("gosa")).isEqualTo(gosa);
    assertThat(result.events("RollbackDecided")).singleElement().asString().contains("ranks=[2]");
    assertThat(result.events("Continued"))
        .extracting(e -> e.get("rank"))
        .containsExactlyInAnyOrder("0", "1", "3");
    assertThat(result.events("CaughtUp"))
        .singleElement()
        .satisfies(
            e ->
                assertThat(e)
                    .containsEntry("rank", "2")
                    .containsEntry("from", "10")
                    .containsEntry("repeated", "7"));
    assertThat(result.events("Left")).isEmpty();
    assertThat(result.events("LoopDone"))
        .hasSize(4)
        .allSatisfy(
            e ->
                assertThat(e)
                    .containsEntry("completed", "30")
                    .containsEntry("repeated", "2".equals(e.get("rank")) ? "7" : "0"));
    assertThat(result.err())
        .contains("local rollback: rank 2 rolls back")
        .contains("rank 2 caught up in iteration 16 after repeating 7 iterations from 10");
  }

  @Test
  @Wide
  void aRankThatIsLostAgainWhileItCatchesUp() throws IOException, InterruptedException {
    String gosa = himeno().run().succeeded().value("gosa");
    Fmirun.Result result =
        himeno("--rollback", "local", "--kill", "rank2@17", "--kill", "rank2@14:replay")
            .run()
            .succeeded();
    assertThat(result.value("gosa")).isEqualTo(gosa);
    assertThat(result.events("RollbackDecided")).hasSize(2);
    assertThat(result.err()).doesNotContain("never happened");
  }

  @Variants
  @ParameterizedTest
  @CsvSource({"local, rank1@17", "global, rank1@17", "local, node0@6", "global, node2@11"})
  void communicatorsMadeInALoopLiveOn(String mode, String kill)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "3", "--ppn", "1", "--spares", "1"));
    all.addAll(List.of("--interval", "4", "--rollback", mode, "--kill", kill));
    all.addAll(List.of("-cp", "target/test-classes", CommunicatorsProgram.class.getName()));
    Fmirun.Result result = new Fmirun(directory, all.toArray(String[]::new)).run().succeeded();
    assertThat(result.out().lines()).hasSize(3).allMatch("result check=ok"::equals);
    assertThat(result.count("RecoveryBegun")).as(result.err()).isPositive();
    assertThat(result.events("Left").isEmpty()).isEqualTo(mode.equals("local"));
  }

  /**
   * Between two iterations a long message is under way, and a receive whose message is sent only
   * behind the checkpoint. Ranks share memory with all, with one, or with none.
   */
  @Variants
  @ParameterizedTest
  @CsvSource({
    "local, overlapped, 2, rank1@13",
    "global, blocking, 4, rank1@12",
    "local, blocking, 1, node2@13",
    "global, overlapped, 1, node2@13",
    "local, overlapped, 4, rank3@13",
    "local, blocking, 4, rank0@12",
    "global, blocking, 1, node1@12",
    "local, blocking, 2, node1@12:encode"
  })
  void requestsAreUnderWayAtACheckpoint(
      String mode, String checkpoint, int ranksOnNode, String kill)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("-n", "4", "--spares", "1", "--interval", "4"));
    all.addAll(List.of("--ppn", Integer.toString(ranksOnNode), "--rollback", mode));
    all.addAll(List.of("--checkpoint", checkpoint, "--kill", kill));
    all.addAll(List.of("-cp", "target/test-classes", RequestsProgram.class.getName()));
    Fmirun.Result result = new Fmirun(directory, all.toArray(String[]::new)).run().succeeded();
    assertThat(result.value("state")).as(result.err()).isEqualTo(RequestsProgram.result(4));
    assertThat(result.err()).doesNotContain("never happened");
    assertThat(result.count("RecoveryBegun")).as(result.err()).isPositive();
  }

  @Wide
  @ParameterizedTest
  @CsvSource({"farm, sum", "cg, residual", "lu, sum"})
  void answersOfOtherExamplesAreTheSame(String name, String key)
      throws IOException, InterruptedException {
    String answer = example(name, List.of()).run().succeeded().value(key);
    Fmirun.Result result =
        example(name, List.of(), "--rollback", "local", "--kill", "rank1@15").run().succeeded();
    assertThat(result.value(key)).isEqualTo(answer);
    assertThat(result.events("RollbackDecided")).singleElement().asString().contains("ranks=[1]");
    assertThat(result.events("Left")).isEmpty();
  }

  private Fmirun farm(String checkpoint, String ranksOnNode, int rounds, String... options) {
    List<String> all = new ArrayList<>(List.of("--rollback", "local", "--spares", "1"));
    all.addAll(List.of("--checkpoint", checkpoint, "--ppn", ranksOnNode));
    all.addAll(List.of(options));
    List<String> arguments = List.of("--rounds", Integer.toString(rounds));
    return example("farm", arguments, all.toArray(String[]::new));
  }

  /** As of an undisturbed run: the same number and, bit for bit, the same sum as a sieve finds. */
  private static void assertFarmed(Fmirun.Result result) {
    result.succeeded();
    assertThat(result.value("check")).as(result.err()).isEqualTo("ok");
    assertThat(result.count("RecoveryBegun")).as(result.err()).isPositive();
  }

  /**
   * Rank 0 has received from any source; alone, again while it catches up, together with a worker,
   * and one after the other. At a place of an overlapped checkpoint it is in the middle of a round.
   */
  @Variants
  @ParameterizedTest
  @CsvSource({
    "overlapped, 1, rank0@collected",
    "blocking, 1, rank0@25",
    "blocking, 4, rank0@25",
    "blocking, 1, node0@25",
    "blocking, 1, rank0@25 rank0@22:replay",
    "blocking, 1, rank0@25 rank1@27",
    "blocking, 4, rank0@25 rank2@25",
    "blocking, 1, rank0@25 rank2@25",
    "overlapped, 1, rank0@25",
    "overlapped, 1, node0@begun",
    "overlapped, 4, rank0@begun rank1@collect",
    "overlapped, 1, rank0@collect rank3@collect",
    "overlapped, 1, rank0@10:encode",
    "overlapped, 1, rank0@10:commit rank2@agree",
    "overlapped, 4, rank0@agree",
    "overlapped, 1, rank0@agree rank1@agree",
    "overlapped, 1, rank0@25 rank0@22:replay",
    "overlapped, 4, rank0@25 rank2@25",
    "overlapped, 1, rank0@25 rank2@25"
  })
  void theMasterOfAFarmIsLost(String checkpoint, String ranksOnNode, String kills)
      throws IOException, InterruptedException {
    Fmirun.Result result =
        farm(checkpoint, ranksOnNode, 50).env("FMI_KILL", kills.replace(' ', ',')).run();
    assertFarmed(result);
    if (!result.err().contains("is taking a checkpoint")) {
      assertThat(result.err()).doesNotContain("never happened");
      assertThat(result.events("Left")).as(result.err()).isEmpty();
      assertThat(result.events("RollbackDecided")).as(result.err()).isNotEmpty();
    }
  }

  /** Wherever it is: the first one is rank 0, as one daemon starts all. */
  @Wide
  @ParameterizedTest
  @CsvSource({"blocking, 0", "blocking, 0 2", "overlapped, 0", "overlapped, 0 1"})
  void theMasterOfAFarmIsLostInTheMiddleOfARound(String checkpoint, String victims)
      throws IOException, InterruptedException {
    try (Fmirun.Running running = farm(checkpoint, "4", 300).start()) {
      running.awaitEvent("CheckpointCommitted", 3);
      List<Long> ranks = running.ranks();
      for (String victim : victims.split(" ")) {
        Traces.signal("KILL", ranks.get(Integer.parseInt(victim)));
      }
      Fmirun.Result result = running.await();
      assertFarmed(result);
      assertThat(result.events("RankFailed")).anyMatch(e -> "0".equals(e.get("rank")));
    }
  }
}
