package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes are lost for good, and the program continues with fewer ranks: the same result. */
@Execution(ExecutionMode.CONCURRENT)
final class ShrinkLoopIT {
  @TempDir private Path directory;

  private Fmirun job(String kill, List<String> options, String... more) {
    List<String> all = new ArrayList<>(List.of("--on-no-spare", "shrink", "--interval", "10"));
    all.addAll(options);
    all.addAll(List.of("-cp", "target/test-classes", BlocksProgram.class.getName()));
    all.add(directory.toString());
    all.addAll(List.of(more));
    return new Fmirun(directory, all.toArray(String[]::new)).env("FMI_KILL", kill);
  }

  private void assertContinues(int ranks, int ppn, int losses, String kill, int times, String from)
      throws IOException, InterruptedException {
    List<String> options =
        List.of("-n", "" + ranks, "--ppn", "" + ppn, "--group-losses", "" + losses);
    Fmirun.Result result = job(kill, options).run().succeeded();
    assertThat(result.value("state")).isEqualTo(BlocksProgram.result());
    assertThat(result.count("Shrunk")).isEqualTo(times);
    assertThat(result.count("KillMissed")).isZero();
    assertThat(result.err()).containsPattern(from);
  }

  /** A rank, or one more node, is lost while the next job restores what the lost nodes had. */
  @ParameterizedTest
  @CsvSource({
    "4, 2, 1, 'node0@55,rank1@50:restored', 1, '2 ranks on 1 node, from iteration 50'",
    "4, 1, 2, 'node1@55,node2@50:restored', 2, '2 ranks on 2 nodes, from iteration 50'"
  })
  void nodesAreLost(int ranks, int ppn, int losses, String kill, int times, String from)
      throws IOException, InterruptedException {
    assertContinues(ranks, ppn, losses, kill, times, from);
  }

  /**
   * Down to one node, in a checkpoint, with a rank that dies later, before any checkpoint. A node
   * that dies at a commit has protected the parts of all of its ranks, or of one.
   */
  @Tag("wide")
  @ParameterizedTest
  @CsvSource({
    "3, 1, 1, 'node2@55,node1@95', 2, '1 rank on 1 node, from iteration 90'",
    "6, 2, 1, 'node1@50:encode', 1, '4 ranks on 2 nodes, from iteration 40'",
    "6, 2, 1, 'node1@50:commit', 1, '4 ranks on 2 nodes, from iteration (40|50) '",
    "4, 2, 1, 'node0@55,rank1@75', 1, '2 ranks on 1 node, from iteration 50'",
    "4, 2, 1, 'node0@55,daemon1@75', 1, '2 ranks on 1 node, from iteration 50'",
    "6, 2, 1, 'node0@15,node1@epilogue', 2, '2 ranks on 1 node, from iteration '",
    "4, 2, 1, 'node1@connect', 1, 'from its start'"
  })
  void nodesAreLostAnywhere(int ranks, int ppn, int losses, String kill, int times, String from)
      throws IOException, InterruptedException {
    assertContinues(ranks, ppn, losses, kill, times, from);
  }

  /** Two nodes of a group whose code rebuilds one, before the next job has a checkpoint. */
  @Tag("wide")
  @Test
  void filesHelpWhereMemoryIsLost() throws IOException, InterruptedException {
    Files.createFile(directory.resolve("hold-55"));
    String files = directory.resolve("files").toString();
    List<String> options = List.of("-n", "3", "--ppn", "1", "--l2-dir", files, "--l2-every", "20");
    try (Fmirun.Running running = job("node1@58,node2@50:restored", options).start()) {
      running.awaitEvent("Level2Committed", 1);
      Files.createFile(directory.resolve("gate-55"));
      Fmirun.Result result = running.await().succeeded();
      assertThat(result.value("state")).isEqualTo(BlocksProgram.result());
      assertThat(result.err()).contains("(files: ");
    }
  }

  @Tag("wide")
  @Test
  void withoutFilesTheJobEnds() throws IOException, InterruptedException {
    Fmirun.Result result =
        job("node1@55,node2@50:restored", List.of("-n", "3", "--ppn", "1")).run();
    assertThat(result.status()).isEqualTo(70);
    assertThat(result.err()).contains("of one checkpoint group lost their parts");
  }

  @Test
  void stateThatCannotBeDividedIsRefusedWhenItsLoopBegins()
      throws IOException, InterruptedException {
    Fmirun.Result result = job("", List.of("-n", "2", "--ppn", "1"), "plain").run();
    assertThat(result.status()).isEqualTo(70);
    assertThat(result.err())
        .contains("the loop's state object 0", "does not say how it is divided", "share");
    assertThat(result.count("CheckpointCommitted")).isZero();
  }

  /** Each rank has a dedicated node: local rollback. */
  @Tag("wide")
  @Test
  void theExampleHasTheSameResult() throws IOException, InterruptedException {
    String[] command = {
      "-n",
      "4",
      "--ppn",
      "1",
      "--on-no-spare",
      "shrink",
      "--interval",
      "10",
      Fmirun.example("heat2d"),
      "--iterations",
      "60"
    };
    Fmirun.Result undisturbed = new Fmirun(directory, command).run();
    Fmirun.Result shrunk = new Fmirun(directory, command).env("FMI_KILL", "node2@35").run();
    assertThat(shrunk.succeeded().value("checksum"))
        .isEqualTo(undisturbed.succeeded().value("checksum"));
    assertThat(shrunk.count("Shrunk")).isOne();
  }
}
