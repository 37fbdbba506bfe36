package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
 * Kills real processes at chosen places and expects the answer of a run without failures, bit by
 * bit, and nothing left behind. The nodes are local ones; {@code heat2d} communicates before,
 * between and after its loops.
 */
@Execution(ExecutionMode.CONCURRENT)
final class RecoveryIT {
  private static final String[] HEAT = {"--size", "64", "--iterations", "60", "--phases", "2"};
  private static String expected = "";
  private static List<String> expectedOfTwoLoops = List.of();

  @TempDir private Path directory;

  private static Fmirun heat(Path directory, List<String> options) {
    return heat(directory, 1, options);
  }

  private static Fmirun heat(Path directory, int ranksOnNode, List<String> options) {
    return new Fmirun(
        directory, heat(ranksOnNode, options, "heat2d", List.of()).toArray(String[]::new));
  }

  /** With flow, the variant of the program that has one, on ranks in a row. */
  private Fmirun heat(String mode, int ranksOnNode, List<String> options) {
    List<String> all = new ArrayList<>(List.of("--rollback", mode));
    all.addAll(options);
    List<String> command =
        FLOW.equals(mode)
            ? heat(ranksOnNode, all, "heat2d-flow", List.of("--grid-ranks", "1x4"))
            : heat(ranksOnNode, all, "heat2d", List.of());
    return new Fmirun(directory, command.toArray(String[]::new));
  }

  private static List<String> heat(
      int ranksOnNode, List<String> options, String program, List<String> arguments) {
    List<String> all = new ArrayList<>(List.of("-n", "4", "--interval", "10"));
    all.addAll(List.of("--ppn", Integer.toString(ranksOnNode)));
    all.addAll(options);
    all.add(Fmirun.example(program));
    all.addAll(List.of(HEAT));
    all.addAll(arguments);
    return all;
  }

  /** A program of this package, on two ranks. */
  private Fmirun pair(List<String> options, Class<?> program, String... args) {
    List<String> all = new ArrayList<>(List.of("-n", "2"));
    all.addAll(options);
    all.addAll(List.of("-cp", "target/test-classes", program.getName()));
    all.addAll(List.of(args));
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  /**
   * Two jobs at once, as everything else waits for them; on one node, with as few processes as will
   * do.
   */
  @BeforeAll
  static void undisturbed(@TempDir Path directory) throws IOException, InterruptedException {
    try (Fmirun.Running twoLoops = twoLoops(directory, 4).start()) {
      Fmirun.Result result = heat(directory, 4, List.of()).run().succeeded();
      assertThat(result.value("check")).isEqualTo("ok");
      assertThat(result.value("recoveries")).isEqualTo("0");
      expected = result.value("checksum");
      result = twoLoops.await().succeeded();
      assertThat(result.count("RecoveryBegun")).isZero();
      expectedOfTwoLoops = sortedLines(result);
      assertThat(expectedOfTwoLoops).hasSize(4);
    }
  }

  private static Fmirun twoLoops(Path directory, int ranksOnNode) {
    return new Fmirun(
        directory,
        "-n",
        "4",
        "--ppn",
        Integer.toString(ranksOnNode),
        "--interval",
        "10",
        "-cp",
        "target/test-classes",
        TwoLoopsProgram.class.getName());
  }

  private static List<String> sortedLines(Fmirun.Result result) {
    return result.out().lines().sorted().toList();
  }

  private static void assertRecovered(Fmirun.Result result) {
    result.succeeded();
    assertThat(result.value("checksum")).as(result.err()).isEqualTo(expected);
    assertThat(result.value("check")).isEqualTo("ok");
    assertThat(Integer.parseInt(result.value("recoveries"))).as(result.err()).isPositive();
    assertThat(result.count("RecoveryBegun")).isPositive();
    assertThat(result.err()).doesNotContain("do not stay alive");
  }

  /** Who goes back: all, or failed ones where that can be done, with those that help them. */
  private static final String FLOW = "flow";

  private static final List<String> MODES = List.of("global", "local", FLOW);

  /**
   * One failure, at every place of a rank's life: ranks that talk over TCP alone, in shared memory
   * with one and over TCP with the others, in shared memory alone (whose node must not be lost).
   * With flow right behind a checkpoint: two iterations later all four would have to help.
   */
  static Stream<Arguments> places() {
    List<String> ranks =
        List.of(
            "rank2@connect",
            "rank0@prologue",
            "rank3@prologue",
            "rank1@35",
            "rank0@35",
            "rank2@0:checkpoint",
            "rank2@30:checkpoint",
            "rank2@30:encode",
            "rank2@30:commit",
            "rank2@30:committed",
            "rank2@60:commit",
            "rank3@epilogue",
            "rank0@epilogue",
            "rank1@close");
    List<String> nodes =
        List.of(
            "node1@35",
            "node0@35",
            "node1@30:encode",
            "node1@prologue",
            "node0@close",
            "daemon1@35");
    return MODES.stream()
        .flatMap(
            mode ->
                IntStream.of(1, 2, 4)
                    .boxed()
                    .flatMap(
                        ranksOnNode ->
                            Stream.concat(
                                    ranks.stream(), ranksOnNode < 4 ? nodes.stream() : Stream.of())
                                .map(kill -> FLOW.equals(mode) ? kill.replace("@35", "@31") : kill)
                                .map(kill -> Arguments.of(mode, ranksOnNode, kill))));
  }

  @Wide
  @ParameterizedTest
  @MethodSource("places")
  void survives(String mode, int ranksOnNode, String kill)
      throws IOException, InterruptedException {
    assertRecovered(heat(mode, ranksOnNode, List.of("--spares", "1")).env("FMI_KILL", kill).run());
  }

  /**
   * Before anything was sent in an epoch it can still be used: a new process takes the place,
   * nobody else notices.
   */
  @Test
  void survivesALossBeforeTheStart() throws IOException, InterruptedException {
    Fmirun.Result result =
        heat(directory, 2, List.of()).env("FMI_KILL", "rank1@init").run().succeeded();
    assertThat(result.value("checksum")).as(result.err()).isEqualTo(expected);
    assertThat(result.count("Respawned")).isEqualTo(1);
  }

  static Stream<Arguments> several() {
    List<String> all =
        List.of(
            // the replacement dies as well
            "rank1@35,rank1@restored",
            // another one dies while the first is rebuilt, then restored
            "rank1@35,rank2@restored",
            "rank1@35,rank0@restored,rank3@restored",
            // two failures in the first loop, one between the loops
            "rank1@25,rank3@45,rank2@epilogue",
            // of two nodes, one after the other
            "node1@25,node2@45",
            // ten in a row
            "rank0@5,rank1@10,rank2@15,rank3@20,rank0@25,"
                + "rank1@30,rank2@35,rank3@40,rank0@45,rank1@50");
    List<String> whileOneCatchesUp =
        List.of(
            // itself, another one, both, its node
            "rank1@35,rank1@32:replay",
            "rank1@35,rank2@36",
            "rank1@37,rank1@33:replay,rank2@38",
            "node1@37,node4@34:replay");
    return Stream.concat(
        MODES.stream().flatMap(mode -> all.stream().map(kills -> Arguments.of(mode, kills))),
        whileOneCatchesUp.stream().map(kills -> Arguments.of("local", kills)));
  }

  @Wide
  @ParameterizedTest
  @MethodSource("several")
  void survivesSeveral(String mode, String kills) throws IOException, InterruptedException {
    assertRecovered(heat(mode, 1, List.of("--spares", "2")).env("FMI_KILL", kills).run());
  }

  /** The same one, one that helps, one that waits, two, its node. */
  @Wide
  @ParameterizedTest
  @ValueSource(
      strings = {
        "rank0@32,rank0@30:recompute",
        "rank0@32,rank1@30:recompute",
        "rank0@32,rank3@restored",
        "rank1@31,rank1@30:recompute,rank2@33",
        "node0@32,node4@30:recompute"
      })
  void survivesAnotherWhileSomeComputeAgain(String kills) throws IOException, InterruptedException {
    Fmirun.Result result = heat(FLOW, 1, List.of("--spares", "2")).env("FMI_KILL", kills).run();
    assertRecovered(result);
    assertThat(result.count("FlowBegun")).as(result.err()).isPositive();
  }

  /** What was communicated between the loops is replayed from the record, wherever ranks are. */
  @Variants
  @ParameterizedTest
  @CsvSource({"2, rank1@25", "1, rank1@25", "2, rank0@25", "4, rank1@25"})
  void rollsBackTheSecondLoopOnly(int ranksOnNode, String kill)
      throws IOException, InterruptedException {
    Fmirun.Result result = twoLoops(directory, ranksOnNode).env("FMI_KILL", kill).run().succeeded();
    assertThat(sortedLines(result)).as(result.err()).isEqualTo(expectedOfTwoLoops);
    assertThat(result.events())
        .as(result.err())
        .filteredOn(e -> "RecoveryBegun".equals(e.get("event")))
        .hasSize(1)
        .allSatisfy(e -> assertThat(e).containsEntry("restartAll", "false"));
  }

  /** Without a loop all processes start again: nothing is shown twice, and nothing is missing. */
  @Variants
  @ParameterizedTest
  @ValueSource(strings = {"rank1@4", "rank1@4 rank0@2", "all@4", "node@4"})
  void whatWasShownIsNotShownAgain(String losses) throws IOException, InterruptedException {
    Path files = Files.createDirectory(directory.resolve("files"));
    List<String> args = new ArrayList<>(List.of(directory.toString()));
    args.addAll(List.of(losses.split(" ")));
    Fmirun.Result result =
        pair(
                List.of(
                    "--ppn", losses.startsWith("all") ? "2" : "1", "--output", files.toString()),
                PrintingProgram.class,
                args.toArray(String[]::new))
            .run()
            .succeeded();
    assertThat(result.count("RecoveryBegun")).isPositive();
    for (int rank = 0; rank < 2; rank++) {
      List<String> lines = PrintingProgram.lines(rank);
      assertThat(Files.readAllLines(files.resolve("rank-" + rank + ".out"))).isEqualTo(lines);
      assertThat(Files.readAllLines(files.resolve("rank-" + rank + ".err"))).isEqualTo(lines);
    }
  }

  /** The survivor's listeners see the failure, the recovery and the checkpoints, in this order. */
  @Test
  void listenersSeeALossAndItsRecovery() throws IOException, InterruptedException {
    Fmirun.Result result =
        pair(List.of("--interval", "10", "--kill", "rank1@25"), ListeningProgram.class)
            .run()
            .succeeded();
    List<String> seen =
        result
            .out()
            .lines()
            .filter(line -> line.startsWith("rank 0: "))
            .map(RecoveryIT::event)
            .toList();
    assertThat(seen)
        .containsSubsequence(
            "CheckpointDue[iteration=0]",
            "CheckpointDone[version=0]",
            "CheckpointDue[iteration=10]",
            "CheckpointDone[version=1]",
            "CheckpointDue[iteration=20]",
            "CheckpointDone[version=2]",
            "Recovered[epoch=1, iteration=20]",
            "CheckpointDue[iteration=30]");
    int recovered = seen.indexOf("Recovered[epoch=1, iteration=20]");
    assertThat(seen)
        .filteredOn(event -> event.startsWith("Failed"))
        .singleElement()
        .asString()
        .matches("Failed\\[rank=1, by=(detector, hops=0|fmirun, hops=-1)\\] (SUSPECTED|DEAD|ALIVE)")
        .satisfies(event -> assertThat(seen.indexOf(event)).isLessThan(recovered));
    assertThat(seen).contains("sum 1560 ALIVE");
    assertThat(result.out()).contains("rank 1 again: sum 1560 ALIVE");
    assertThat(result.err()).contains("a listener of Fmi.listen communicates at rank 0");
  }

  private static String event(String line) {
    return line.substring("rank 0: ".length());
  }

  /** A replacement runs from its start: it must read what the one before has read. */
  @Test
  void aReplacementOfRank0GetsTheInputAgain() throws IOException, InterruptedException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 300_000; i++) {
      text.append(i == 150_000 ? "" : "line " + i * 31L).append('\n');
    }
    Path input = Files.writeString(directory.resolve("input"), text);
    List<String> interval = List.of("--interval", "10");
    String answer = pair(interval, InputProgram.class).input(input).run().succeeded().out();
    assertThat(answer).doesNotContain("first=0 ").doesNotContain("second=0 ");
    Fmirun.Result result =
        pair(interval, InputProgram.class)
            .input(input)
            .env("FMI_KILL", "rank0@prologue,rank0@15,rank0@35")
            .run()
            .succeeded();
    assertThat(result.err())
        .contains("running (H3) from the start")
        .contains("running (H3) from iteration 10")
        .contains("running (H3) from iteration 30");
    assertThat(result.out()).isEqualTo(answer);
  }

  /** The node's memory is gone: the data must have come from the group's code. */
  @Variants
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void decodesTheCheckpointsOfALostNode(int ranksOnNode) throws IOException, InterruptedException {
    Fmirun.Result result =
        heat(directory, ranksOnNode, List.of("--spares", "1", "--kill", "node1@35")).run();
    assertRecovered(result);
    assertThat(result.events())
        .anySatisfy(
            e -> {
              assertThat(e).containsEntry("event", "AllRunning").containsEntry("iteration", "30");
              assertThat(e).containsEntry("rebuilt", Integer.toString(ranksOnNode));
            });
  }

  @Variants
  @ParameterizedTest
  @ValueSource(ints = {4, 1})
  void restoresFromTheNodesMemoryWhenOnlyTheProcessDied(int ranksOnNode)
      throws IOException, InterruptedException {
    Fmirun.Result result = heat(directory, ranksOnNode, List.of("--kill", "rank2@35")).run();
    assertRecovered(result);
    assertThat(result.events())
        .anySatisfy(
            e ->
                assertThat(e)
                    .containsEntry("event", "AllRunning")
                    .containsEntry("iteration", "30")
                    .containsEntry("rebuilt", "0"));
  }

  @Wide
  @ParameterizedTest
  @ValueSource(strings = {"rank1@35", "node1@35"})
  void aReplacementIsBoundToTheCoresOfTheOneBefore(String kill)
      throws IOException, InterruptedException {
    assumeTwoCores();
    Fmirun.Result result =
        pair(
                List.of("--ppn", "1", "--bind", "core", "--interval", "10", "--kill", kill),
                BoundProgram.class)
            .run()
            .succeeded();
    assertThat(result.count("Respawned")).isEqualTo(1);
    assertThat(result.out().lines()).containsExactlyInAnyOrder(bound(0), bound(1));
  }

  @Test
  void onlyTheThreadThatCommunicatesIsBoundToItsOnlyCore()
      throws IOException, InterruptedException {
    assumeTwoCores();
    Fmirun.Result result = pair(List.of("--verbose"), BoundProgram.class).run().succeeded();
    assertThat(result.out().lines()).containsExactlyInAnyOrder(bound(0), bound(1));
    assertThat(result.err())
        .contains("node0: the thread of rank 0 on core 0, the thread of rank 1 on core 1");
  }

  /** On a machine of two cores that are those of two ranks. */
  private static void assumeTwoCores() throws IOException {
    assumeThat(LaunchIT.usableCores()).containsExactly(0, 1);
  }

  /** What a rank of {@link BoundProgram} says there. */
  private static String bound(int rank) {
    return "rank %d: its thread on %d, others on 0-1, at the end on 0-1".formatted(rank, rank);
  }

  /** All ranks are on its node. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"daemon0@connect|-1", "daemon0@35|30", "daemon0@25,daemon0@45|-1 20 40"})
  void survivesTheLossOfADaemonWhereNoOtherPlaceIs(String kills, String from)
      throws IOException, InterruptedException {
    Fmirun.Result result = heat(directory, 4, List.of()).env("FMI_KILL", kills).run();
    assertRecovered(result);
    assertThat(
            result.events("AllRunning").stream()
                .map(event -> event.get("iteration"))
                .collect(Collectors.joining(" ")))
        .as(result.err())
        .endsWith(from);
  }

  @Test
  void survivesTheLossOfADaemonThatIsBeingRestarted() throws IOException, InterruptedException {
    try (Fmirun.Running running =
        heat(directory, 4, List.of()).env("FMI_KILL", "daemon0@35").start()) {
      running.awaitEvent("NodeReady", 1);
      List<Long> first = running.daemons();
      running.awaitEvent("NodeFailed", 1);
      List<Long> next;
      do {
        next = running.daemons();
      } while (next.isEmpty() || next.equals(first));
      Traces.signal("KILL", next.getFirst());
      assertRecovered(running.await());
    }
  }

  /** The second node of a group is lost before anything was brought back. */
  private Fmirun twoNodes(int losses) {
    return heat(directory, List.of("--spares", "2", "--group-losses", Integer.toString(losses)))
        .env("FMI_KILL", "node1@35,node2@rebuild");
  }

  @Test
  @Wide
  void twoNodesOfOneGroupLostAtOnceEndTheJobWithAClearMessage()
      throws IOException, InterruptedException {
    Fmirun.Result result = twoNodes(1).run();
    assertThat(result.status()).as(result.err()).isEqualTo(70);
    assertThat(result.err()).contains("lost for good", "rebuilds 1", "--group-losses");
  }

  @Test
  void twoNodesOfOneGroupLostAtOnceAreBroughtBackInOneRecovery()
      throws IOException, InterruptedException {
    Fmirun.Result result = twoNodes(2).run();
    assertRecovered(result);
    assertInOneRecovery(result, 2);
  }

  private static void assertInOneRecovery(Fmirun.Result result, int rebuilt) {
    List<String> stages =
        result.events().stream()
            .map(event -> event.get("event"))
            .filter(List.of("NodeFailed", "AllRunning")::contains)
            .toList();
    assertThat(stages).containsExactly("AllRunning", "NodeFailed", "NodeFailed", "AllRunning");
    assertThat(result.events())
        .filteredOn(event -> "AllRunning".equals(event.get("event")))
        .last()
        .satisfies(event -> assertThat(event).containsEntry("rebuilt", Integer.toString(rebuilt)));
  }

  /** Four nodes of two ranks, in two groups, and two spares. */
  private Fmirun himeno(String... kills) {
    List<String> all = new ArrayList<>(List.of("-n", "8", "--ppn", "2", "--spares", "2"));
    all.addAll(List.of("--group-losses", "2", "--interval", "10"));
    for (String kill : kills) {
      all.addAll(List.of("--kill", kill));
    }
    all.add(Fmirun.example("himeno"));
    all.addAll(List.of("--grid", "XS", "--iterations", "200"));
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  @Test
  @Wide
  void twoNodesOfAllGroupsLostAtOnceAreBroughtBack() throws IOException, InterruptedException {
    String gosa = himeno().run().succeeded().value("gosa");
    Fmirun.Result result = himeno("node1@50", "node2@rebuild").run().succeeded();
    assertThat(result.value("gosa")).isEqualTo(gosa);
    assertInOneRecovery(result, 4);
    // Both in the same iteration, unless one of them hears first of the other's loss.
    result = himeno("node1@50", "node2@50").run().succeeded();
    assertThat(result.value("gosa")).isEqualTo(gosa);
  }

  @Variants
  @ParameterizedTest
  @ValueSource(strings = {"wait", "share"})
  void goesOnWithoutASpare(String policy) throws IOException, InterruptedException {
    assertRecovered(heat(directory, List.of("--on-no-spare", policy, "--kill", "node2@35")).run());
  }

  @Test
  @Wide
  void endsWithoutASpareIfTold() throws IOException, InterruptedException {
    Fmirun.Result result =
        heat(directory, 2, List.of("--on-no-spare", "abort", "--kill", "node1@35")).run();
    assertThat(result.status()).isEqualTo(70);
    assertThat(result.err()).contains("no spare node is left");
  }

  /** Silence is death too: a stopped process is found by its heartbeats and made dead. */
  @Test
  void survivesAStoppedRank() throws IOException, InterruptedException {
    try (Fmirun.Running running = heatOfManyNodes(4, 100).start()) {
      running.awaitEvent("CheckpointCommitted", 3);
      assertThat(recoveriesAfterAStop(running)).isPositive();
    }
  }

  /** One rank watches another: a killed process and a stopped one are found as in the log-ring. */
  @Test
  void survivesAKilledAndAStoppedRankInAHeartRing() throws IOException, InterruptedException {
    Fmirun fmirun =
        heatOfManyNodes(
            5, 400, "--detector", "heartring", "--heartbeat-period", "0.05", "--kill", "rank3@15");
    try (Fmirun.Running running = fmirun.start()) {
      running.awaitEvent("AllRunning", 2);
      running.awaitEvent("CheckpointCommitted", 4);
      assertThat(recoveriesAfterAStop(running)).isGreaterThanOrEqualTo(2);
    }
  }

  private Fmirun heatOfManyNodes(int ranks, int iterations, String... options) {
    List<String> all = new ArrayList<>(List.of("-n", "" + ranks, "--ppn", "1", "--interval", "10"));
    all.addAll(List.of("--heartbeat", System.getProperty("fmi.tests.heartbeat", "1")));
    all.addAll(List.of(options));
    all.addAll(List.of(Fmirun.example("heat2d"), "--size", "64", "--iterations", "" + iterations));
    return new Fmirun(directory, all.toArray(String[]::new));
  }

  /** Stops rank 1, and returns the number of recoveries when the job has ended. */
  private static int recoveriesAfterAStop(Fmirun.Running running)
      throws IOException, InterruptedException {
    Traces.signal("STOP", running.ranks().get(1));
    Fmirun.Result result = running.await().succeeded();
    assertThat(result.value("check")).isEqualTo("ok");
    return Integer.parseInt(result.value("recoveries"));
  }

  /** It has said that it ends, and nobody watches it any more. */
  @Test
  @Wide
  void aProcessThatDoesNotComeToItsEndIsReplaced() throws IOException, InterruptedException {
    Fmirun.Result result =
        pair(List.of(), FailingProgram.class, directory.resolve("failed").toString()).run();
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.err()).contains("rank 1 began to exit 30 s ago");
  }
}
