package org.fmi.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** How nodes are asked for and given back; Slurm's commands are scripts here. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
final class LentNodesTest {
  private static final long SECONDS = 60;

  @TempDir private Path directory;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final LentNodes.Answer answer =
      new LentNodes.Answer() {
        @Override
        public void granted(String node, String rack) {
          answers.add("granted " + node + " in " + rack);
        }

        @Override
        public void refused(String reason) {
          answers.add("refused " + reason);
        }
      };

  private FakeSlurm slurm = new FakeSlurm(Path.of(""));

  /** Runs its command as an allocation does, until somebody ends it. */
  private static final String GRANTS =
      """
      echo "$@" >"$(dirname "$0")/asked"
      while [ "$1" != sh ]; do shift; done
      export SLURM_JOB_ID=8 SLURM_JOB_NODELIST=node9
      trap 'kill "$command"; echo given back >"$(dirname "$0")/end"; exit 1' TERM
      "$@" & command=$!
      wait "$command"
      """;

  @BeforeEach
  void fourMinutesAreLeft() throws IOException {
    slurm = new FakeSlurm(directory);
    slurm.command("squeue", "echo 4:00");
    slurm.command("salloc", GRANTS);
  }

  private LentNodes nodes() {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put("PATH", directory + ":" + System.getenv("PATH"));
    environment.put("SLURM_JOB_PARTITION", "all");
    environment.put("SLURM_CPUS_PER_TASK", "2");
    return new LentNodes(
        new Allocation(
            "7",
            "node[1-3]",
            List.of("node1", "node2", "node3"),
            List.of(2, 2, 2),
            true,
            Map.of("node9", "r3")),
        environment,
        30);
  }

  private @Nullable String answer() throws InterruptedException {
    return answers.poll(SECONDS, TimeUnit.SECONDS);
  }

  private String ended() throws IOException {
    return Files.readString(directory.resolve("end")).strip();
  }

  @Test
  void asksForWhatTheJobHasAndForNoNodeThatItHad() throws Exception {
    LentNodes nodes = nodes();
    nodes.request(4, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    assertThat(Files.readString(directory.resolve("asked")))
        .startsWith(
            "--kill-command=TERM --immediate=30 --exclude=node[1-3] --job-name=fmi-lent -N1 -n2"
                + " --partition=all --cpus-per-task=2 --time=5 sh -c");
    assertThat(nodes.jobOf("node9")).isEqualTo("8");
    assertThat(nodes.jobOf("node1")).isEqualTo("7");
    nodes.giveBack("node1"); // was not lent
    nodes.giveBack("node9");
    nodes.close(TimeUnit.SECONDS.toMillis(SECONDS));
    assertThat(ended()).isEqualTo("given back");
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    assertThat(Files.readString(directory.resolve("asked"))).contains("--exclude=node[1-3],node9 ");
    nodes.close(TimeUnit.SECONDS.toMillis(SECONDS));
  }

  @Test
  void refusesInSlurmsWords() throws Exception {
    slurm.command(
        "salloc",
        "echo 'salloc: error: Unable to allocate resources: Requested nodes are busy' >&2; exit 1");
    nodes().request(1, answer);
    assertThat(answer())
        .isEqualTo("refused Unable to allocate resources: Requested nodes are busy");
    slurm.command(
        "salloc",
        "echo 'salloc: error: Unable to allocate resources: Connection timed out' >&2; exit 1");
    nodes().request(1, answer);
    assertThat(answer()).isEqualTo("refused Slurm has none that is free within 30 s");
    slurm.command("squeue", "exit 0");
    nodes().request(1, answer);
    assertThat(answer()).isEqualTo("refused Slurm job 7 does not run any more");
    slurm.command("squeue", "echo 'squeue: Unable to contact slurm controller' >&2; exit 1");
    nodes().request(1, answer);
    assertThat(answer()).isEqualTo("refused squeue: Unable to contact slurm controller");
  }

  @Test
  void aRequestThatWaitsIsWithdrawn() throws Exception {
    slurm.command(
        "salloc",
        "trap 'kill $!; echo withdrawn >\"$(dirname \"$0\")/end\"; exit 1' TERM\n"
            + "touch \"$(dirname \"$0\")/waits\"\nsleep 100 >/dev/null 2>&1 & wait");
    LentNodes nodes = nodes();
    LentNodes.Lease lease = nodes.request(1, answer);
    while (!Files.exists(directory.resolve("waits"))) {
      Thread.sleep(1);
    }
    lease.giveBack();
    assertThat(answer()).startsWith("refused ");
    assertThat(ended()).isEqualTo("withdrawn");
  }

  @Test
  void theDaemonOfALentNodeGivesItBackUnlessItWasKilled() throws Exception {
    slurm.command("scancel", "echo $1 >\"$(dirname \"$0\")/end\"");
    LentNodes nodes = nodes();
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    assertThat(nodes.untilItEnds("node1", List.of("d"))).containsExactly("d");
    assertThat(run(nodes.untilItEnds("node9", List.of("sh", "-c", "kill -9 $$")))).isEqualTo(137);
    assertThat(directory.resolve("end")).doesNotExist();
    assertThat(run(nodes.untilItEnds("node9", List.of("sh", "-c", "exit 70")))).isEqualTo(70);
    assertThat(ended()).isEqualTo("8");
    nodes.close(TimeUnit.SECONDS.toMillis(SECONDS));
  }

  private int run(List<String> command) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PATH", directory + ":" + System.getenv("PATH"));
    return builder.start().waitFor();
  }
}
