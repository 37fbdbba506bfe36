package org.fmi.run.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of Slurm's answers; its commands are scripts here. */
final class SlurmWatchTest {
  @TempDir private Path directory;
  private final List<String> heard = new ArrayList<>();

  private FakeSlurm slurm = new FakeSlurm(Path.of(""));

  @BeforeEach
  void nothingSpecial() throws IOException {
    slurm = new FakeSlurm(directory);
    slurm.command("squeue", "echo 'UNLIMITED|node[1-3]'");
    slurm.command(
        "sinfo", "printf 'node1|allocated|none\\nnode2|mixed|none\\nnode3|allocated*|none\\n'");
    slurm.command("scontrol", "printf 'node1\\nnode3\\n'");
  }

  private SlurmWatch watch(long stopBefore) {
    Allocation allocation =
        new Allocation(
            "7", "node[1-3]", List.of("node1", "node2", "node3"), List.of(1, 1, 1), true, Map.of());
    Map<String, String> environment = Map.of("PATH", directory.toString());
    return new SlurmWatch(
        allocation,
        new LentNodes(allocation, environment, 20),
        environment,
        stopBefore,
        new SlurmWatch.Listener() {
          @Override
          public void endsIn(long seconds) {
            heard.add("ends in " + seconds);
          }

          @Override
          public void leaving(String node, String why) {
            heard.add(node + ": " + why);
          }

          @Override
          public void stays(String node, String why) {
            heard.add(node + " stays: " + why);
          }
        });
  }

  @ParameterizedTest
  @CsvSource({"1-02:03:04, 93784", "02:03:04, 7384", "3:04, 184", "0:00, 0"})
  void readsTimes(String text, long seconds) {
    assertThat(SlurmWatch.seconds(text)).hasValue(seconds);
  }

  @ParameterizedTest
  @CsvSource({"UNLIMITED", "NOT_SET", "INVALID", "''"})
  void mayHaveNoLimit(String text) {
    assertThat(SlurmWatch.seconds(text)).isEmpty();
  }

  @Test
  void usuallyThereIsNothingToTell() throws IOException {
    assertThat(watch(60).look()).isEqualTo(SlurmWatch.SECONDS);
    assertThat(heard).isEmpty();
  }

  @Test
  void tellsOnceThatTheTimeIsShort() throws IOException {
    SlurmWatch watch = watch(60);
    slurm.command("squeue", "echo '1:04|node[1-3]'");
    assertThat(watch.look()).as("asks again when it is").isEqualTo(4);
    slurm.command("squeue", "echo '0:58|node[1-3]'");
    watch.look();
    watch.look();
    assertThat(heard).containsExactly("ends in 58");
  }

  /** Again and again: such a node may have been lost, and added again. */
  @Test
  void tellsOfNodesThatDrain() throws IOException {
    slurm.command(
        "sinfo", "printf 'node1|draining|fan\\nnode2|failing*|none\\nnode9|drained|x\\n'");
    SlurmWatch watch = watch(0);
    watch.look();
    assertThat(heard)
        .containsExactlyInAnyOrder(
            "node1: Slurm reports it as draining (fan)", "node2: Slurm reports it as failing*");
    watch.look();
    assertThat(heard).hasSize(4);
  }

  /** A node of which Slurm says nothing may be gone; others it never drained. */
  @Test
  void tellsOnceOfANodeThatIsResumed() throws IOException {
    slurm.command("sinfo", "printf 'node1|draining|fan\\nnode2|drained|disk\\n'");
    SlurmWatch watch = watch(0);
    watch.look();
    heard.clear();
    slurm.command("sinfo", "printf 'node1|allocated|none\\nnode3|mixed|none\\n'");
    watch.look();
    watch.look();
    assertThat(heard).containsExactly("node1 stays: Slurm has resumed it");
  }

  @Test
  void tellsOfANodeThatTheJobHasNoMore() throws IOException {
    slurm.command("squeue", "echo '5:00|node[1,3]'");
    watch(0).look();
    assertThat(heard).containsExactly("node2: Slurm removed it from the job");
  }

  @Test
  void failsInSlurmsWords() throws IOException {
    slurm.command(
        "squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1");
    assertThatThrownBy(() -> watch(0).look()).hasMessageContaining("Unable to contact");
  }
}
