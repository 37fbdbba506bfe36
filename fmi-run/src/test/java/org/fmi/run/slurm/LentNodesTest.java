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
import java.util.concurrent.ThreadFactory;
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

  @BeforeEach
  void fourMinutesAreLeftAndANodeIsFree() throws IOException {
    slurm = new FakeSlurm(directory);
    slurm.command("sbatch", "echo \"$@\" >\"$(dirname \"$0\")/asked\"; echo '8;cluster'");
    slurm.command("scancel", "echo $1 >>\"$(dirname \"$0\")/cancelled\"");
    theJobSays("RUNNING|node9|None");
  }

  private void theJobSays(String line) throws IOException {
    slurm.command("squeue", "[ $3 = 7 ] && echo 4:00 || echo '" + line + "'");
  }

  private LentNodes nodes(int seconds) {
    return nodes(seconds, Thread.ofPlatform().daemon().factory());
  }

  private LentNodes nodes(int seconds, ThreadFactory threads) {
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
        seconds,
        threads);
  }

  private @Nullable String answer() throws InterruptedException {
    return answers.poll(SECONDS, TimeUnit.SECONDS);
  }

  private void close(LentNodes nodes) {
    nodes.close(TimeUnit.SECONDS.toMillis(SECONDS));
  }

  private List<String> cancelled() throws IOException {
    return Files.readAllLines(directory.resolve("cancelled"));
  }

  @Test
  void asksForWhatTheJobHasAndForNoNodeThatItHad() throws Exception {
    LentNodes nodes = nodes(30);
    nodes.request(4, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    assertThat(Files.readString(directory.resolve("asked")))
        .startsWith(
            "--parsable --exclude=node[1-3] --job-name=fmi-lent --output=/dev/null --export=ALL"
                + " --no-requeue -N1 -n2 --partition=all --cpus-per-task=2 --time=5"
                // 5 min from the last moment that anybody waits for it
                + " --deadline=now+345seconds --wrap=");
    assertThat(nodes.jobOf("node9")).isEqualTo("8");
    assertThat(nodes.jobOf("node1")).isEqualTo("7");
    nodes.giveBack("node1"); // was not lent
    assertThat(directory.resolve("cancelled")).doesNotExist();
    nodes.giveBack("node9");
    close(nodes);
    assertThat(cancelled()).containsExactly("8");
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    assertThat(Files.readString(directory.resolve("asked"))).contains("--exclude=node[1-3],node9 ");
    close(nodes);
    assertThat(cancelled()).containsExactly("8", "8");
  }

  @Test
  void aRequestWithoutAThreadIsRefusedAndNotWaitedFor() throws Exception {
    LentNodes nodes =
        nodes(
            30,
            task ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("no more threads");
                  }
                });
    nodes.request(1, answer);
    assertThat(answer()).startsWith("refused ").endsWith("no more threads");
    close(nodes);
  }

  /** Whatever it is, ranks wait for an answer. */
  @Test
  void anErrorIsARefusal() throws Exception {
    Allocation nonsense = new Allocation("7", "", List.of(), List.of(), true, Map.of());
    new LentNodes(nonsense, System.getenv(), 30).request(1, answer);
    assertThat(answer()).startsWith("refused ");
  }

  @Test
  void refusesInSlurmsWords() throws Exception {
    slurm.command("sbatch", "echo 'sbatch: error: Batch job submission failed: no' >&2; exit 1");
    nodes(30).request(1, answer);
    assertThat(answer()).isEqualTo("refused Batch job submission failed: no");
    slurm.command("squeue", "exit 0");
    nodes(30).request(1, answer);
    assertThat(answer()).isEqualTo("refused Slurm job 7 has ended");
    slurm.command("squeue", "echo 'squeue: Unable to contact slurm controller' >&2; exit 1");
    nodes(30).request(1, answer);
    assertThat(answer()).isEqualTo("refused squeue: Unable to contact slurm controller");
    assertThat(directory.resolve("cancelled")).doesNotExist();
  }

  @Test
  void whatIsNotGrantedInTimeIsWithdrawn() throws Exception {
    theJobSays("PENDING||Resources");
    LentNodes nodes = nodes(0);
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("refused Slurm found no free node within 0 s");
    close(nodes);
    theJobSays("PENDING||QOSMaxNodePerUserLimit");
    nodes.request(1, answer);
    assertThat(answer())
        .isEqualTo("refused Slurm found no free node within 0 s (QOSMaxNodePerUserLimit)");
    close(nodes);
    theJobSays("COMPLETING|node9|None");
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("refused Slurm job 8 ended before it was used");
    close(nodes);
    assertThat(cancelled()).containsExactly("8", "8", "8");
  }

  /** As when the controller is down for a while. */
  @Test
  void anAnswerThatDoesNotComeIsAskedForAgain() throws Exception {
    slurm.command(
        "squeue",
        "[ $3 = 8 ] || { echo 4:00; exit; }",
        "[ -e \"$0-asked\" ] && { echo 'RUNNING|node9|None'; exit; }",
        "touch \"$0-asked\"; exit 1");
    LentNodes nodes = nodes(30);
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    close(nodes);
  }

  @Test
  void aRequestThatWaitsIsWithdrawn() throws Exception {
    slurm.command(
        "squeue",
        "[ $3 = 7 ] && echo 4:00 && exit",
        "touch \"$(dirname \"$0\")/waits\"; echo 'PENDING||Priority'");
    LentNodes nodes = nodes(600);
    LentNodes.Lease lease = nodes.request(1, answer);
    while (!Files.exists(directory.resolve("waits"))) {
      Thread.sleep(1);
    }
    lease.giveBack();
    assertThat(answer()).startsWith("refused ");
    assertThat(cancelled()).containsExactly("8");
  }

  /** Slurm sends TERM to all processes of a job that ends, fmirun's among them. */
  @Test
  void whatKeepsANodeOutlivesTheSignalThatEndsFmirun() throws Exception {
    slurm.command("sbatch", "cut -d' ' -f6 /proc/$$/stat >\"$(dirname \"$0\")/session\"; echo 8");
    LentNodes nodes = nodes(30);
    nodes.request(1, answer);
    assertThat(answer()).isEqualTo("granted node9 in r3");
    String keeper = Files.readString(directory.resolve("session")).strip();
    assertThat(new ProcessBuilder("kill", "-TERM", keeper).start().waitFor()).isZero();
    close(nodes);
    assertThat(cancelled()).containsExactly("8");
  }
}
