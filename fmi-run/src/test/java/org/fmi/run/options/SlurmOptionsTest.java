package org.fmi.run.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.job.JobSpec;
import org.fmi.run.slurm.FakeSlurm;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What fmirun makes of a job of Slurm, whose commands are scripts here. */
final class SlurmOptionsTest {
  @TempDir private Path directory;
  private final Map<String, String> environment = new TreeMap<>();

  private FakeSlurm slurm = new FakeSlurm(Path.of(""));

  @BeforeEach
  void fourNodesOfTwoCores() throws IOException {
    slurm = new FakeSlurm(directory);
    slurm.command("srun", "exit 1");
    // Of node[1-4] it makes four lines.
    slurm.command("scontrol", "for i in 1 2 3 4; do echo node$i; done");
    Files.createDirectories(directory.resolve("classes"));
    Files.createFile(directory.resolve("classes/App.class"));
    environment.put("PATH", directory.toString());
    environment.put("SLURM_JOB_ID", "7");
    environment.put("SLURM_JOB_NODELIST", "node[1-4]");
    environment.put("SLURM_JOB_CPUS_PER_NODE", "2(x4)");
    environment.put("SLURM_TASKS_PER_NODE", "2(x4)");
  }

  private RunOptions options(String line) throws UsageException {
    List<String> words = Arrays.asList((line + " -cp classes App").strip().split("\\s+"));
    Settings settings = Settings.read(words, environment, directory.resolve("fmi.conf"));
    return RunOptions.of(settings, environment, directory, _ -> true);
  }

  private String refusal(String line) {
    UsageException e = catchThrowableOfType(UsageException.class, () -> options(line));
    assertThat(e).as(line).isNotNull();
    return String.valueOf(e.getMessage());
  }

  /** Such as in a shell that a job of Slurm has left behind. */
  @Test
  void whatIsLeftOfAJobThatIsOver() {
    environment.remove("SLURM_JOB_NODELIST");
    assertThat(refusal("-n 2"))
        .startsWith("the nodes of Slurm job 7 are unknown: SLURM_JOB_NODELIST is not set")
        .endsWith("unset SLURM_JOB_ID, or use --launcher local");
  }

  /** The way out that is named. */
  @Test
  void withoutItsNodesTheJobStillRunsHere() throws UsageException {
    environment.remove("SLURM_JOB_NODELIST");
    assertThat(options("-n 2 --launcher local").where()).isEqualTo(new Where.Local());
  }

  /** The names of the nodes of ranks in their order, then those of spares, as in 1 1 2 | 3. */
  private String placed(String line) throws UsageException {
    JobSpec spec = options(line).spec();
    StringBuilder text = new StringBuilder();
    for (int node : spec.placement()) {
      text.append(spec.nodes().get(node).name().substring(4)).append(' ');
    }
    for (JobSpec.Node node : spec.nodes()) {
      text.append(node.spare() ? "| " + node.name().substring(4) + " " : "");
    }
    return text.toString().strip();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          -n 4;                        1 2 3 4
          -n 3;                        1 2 3
          -n 5;                        1 1 2 2 3
          -n 8;                        1 1 2 2 3 3 4 4
          '';                          1 2 3 4
          --spares 1;                  1 2 3 | 4
          -n 3 --spares 2;             1 1 2 | 3 | 4
          -n 9 --ppn 3;                1 1 1 2 2 2 3 3 3
          --ppn 3 --spares 2;          1 1 1 2 2 2 | 3 | 4
          --launcher slurm --hosts node4,node2 -n 2;  4 2
          """)
  void ranksAreSpreadWhereNobodyAskedForTasks(String line, String placement) throws UsageException {
    assertThat(placed(line)).isEqualTo(placement);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          '';               1 1 2 2 3 4
          -n 3;             1 1 2
          --spares 1;       1 1 2 2 3 | 4
          --ppn 1;          1 2 3 4
          """)
  void tasksOfSlurmAreSlots(String line, String placement) throws UsageException {
    environment.put("SLURM_NTASKS", "6");
    environment.put("SLURM_TASKS_PER_NODE", "2(x2),1(x2)");
    assertThat(placed(line)).isEqualTo(placement);
  }

  @Test
  void aRankMayNeedSeveralCores() throws UsageException {
    environment.put("SLURM_CPUS_PER_TASK", "2");
    assertThat(placed("-n 4")).isEqualTo("1 2 3 4");
    assertThat(refusal("-n 5")).contains("-n 5").contains("only 4 slots").contains("--ppn");
  }

  @Test
  void theJobIsTakenUnlessTheUserSaysWhere() throws UsageException {
    assertThat(options("-n 2 --slurm-args --exact").where())
        .isInstanceOfSatisfying(
            Where.Slurm.class,
            where -> {
              assertThat(where.allocation().job()).isEqualTo("7");
              assertThat(where.arguments()).containsExactly("--exact");
              assertThat(where.prefix()).isNull();
            });
    assertThat(options("-n 2 --launcher local").where()).isEqualTo(new Where.Local());
    assertThat(options("-n 2 --hosts a,b").where()).isEqualTo(new Where.Ssh(null));
    assertThat(options("-n 2 --hosts a,b --launcher ssh").where()).isEqualTo(new Where.Ssh(null));
  }

  @Test
  void aJobStopsBeforeItsEndWhereAnotherOneCanGoOn() throws Exception {
    assertThat(options("-n 2 --l2-dir d --l2-every 5 --stop-before 90").where())
        .isInstanceOfSatisfying(
            Where.Slurm.class, where -> assertThat(where.stopBeforeSeconds()).isEqualTo(90));
    assertThat(refusal("-n 2 --stop-before 90")).contains("--l2-dir");
    assertThat(refusal("-n 2 --launcher local --stop-before 90")).contains("Slurm jobs");
    Files.writeString(directory.resolve("fmi.conf"), "stop-before-sec = 90\n");
    assertThat(options("-n 2").where())
        .isInstanceOfSatisfying(
            Where.Slurm.class, where -> assertThat(where.stopBeforeSeconds()).isZero());
  }

  @Test
  void outsideOfAJobNothingIsSlurms() throws Exception {
    environment.remove("SLURM_JOB_ID");
    assertThat(options("-n 2").where()).isEqualTo(new Where.Local());
    assertThat(refusal("-n 2 --launcher slurm")).contains("not a Slurm job");
    assertThat(refusal("-n 2 --slurm-args --exact")).contains("Slurm jobs");
    Files.writeString(directory.resolve("fmi.conf"), "launcher = slurm\nslurm-args = --exact\n");
    assertThat(options("-n 2").where()).isEqualTo(new Where.Local());
  }

  @Test
  void aStepRunsOneJobAndDoesNotKnowTheTasksOfItsJob() throws UsageException {
    environment.put("SLURM_STEP_NUM_TASKS", "1");
    environment.put("SLURM_NTASKS", "1");
    environment.put("SLURM_TASKS_PER_NODE", "1");
    assertThat(placed("-n 4")).isEqualTo("1 2 3 4");
    assertThat(refusal("")).contains("-n is missing");
    environment.put("SLURM_STEP_NUM_TASKS", "4");
    assertThat(refusal("-n 4")).contains("started fmirun 4 times").contains("srun -N1 -n1");
    assertThat(options("-n 4 --launcher local").where()).isEqualTo(new Where.Local());
  }

  @Test
  void whatTheJobDoesNotHaveIsRefused() {
    assertThat(refusal("-n 2 --launcher slurm --hosts node1,node5"))
        .contains("--hosts")
        .contains("node5 is not a node of Slurm job 7, which has node[1-4]");
    assertThat(refusal("-n 9")).contains("only 8 slots");
    assertThat(refusal("-n 1 --spares 4")).contains("--spares 4").contains("4 nodes");
    environment.put("SLURM_NTASKS", "8");
    assertThat(refusal("-n 9")).contains("only 8 tasks");
  }

  @Test
  void whatSlurmDoesNotSayIsToldInItsWords() throws IOException {
    slurm.command("scontrol", "echo scontrol: error: Invalid hostlist >&2; exit 1");
    assertThat(refusal("-n 2")).contains("scontrol: error: Invalid hostlist");
    slurm.command("scontrol", "echo node1");
    assertThat(refusal("-n 2")).contains("1 node (").contains("slots for 4");
    environment.put("SLURM_JOB_CPUS_PER_NODE", "many");
    assertThat(refusal("-n 2")).contains("many");
    environment.remove("SLURM_JOB_NODELIST");
    assertThat(refusal("-n 2")).contains("SLURM_JOB_NODELIST");
    environment.put("SLURM_HET_SIZE", "2");
    assertThat(refusal("-n 2")).contains("heterogeneous");
  }

  @Test
  void aNodeOfTheJobThatItDoesNotUseCanBeAdded() throws Exception {
    RunOptions options = options("--launcher slurm --hosts node1,node2 -n 2");
    assertThat(AddedNode.read("node4", 2, options)).isEqualTo(new JobSpec.Node("node4", 2, true));
    assertThat(AddedNode.read("node4:1", 2, options).slots()).isEqualTo(1);
    UsageException e =
        catchThrowableOfType(UsageException.class, () -> AddedNode.read("node9", 2, options));
    assertThat(e).hasMessage("add: node9 is not a node of Slurm job 7, which has node[1-4]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      textBlock =
          """
          request;          20;  SHARE
          request:60;       60;  SHARE
          request,wait;     20;  WAIT
          request:5,abort;  5;   ABORT
          wait;             0;   WAIT
          """)
  void canAskForMoreNodes(String policy, int seconds, JobSpec.OnNoSpare then) throws Exception {
    RunOptions options = options("-n 4 --on-no-spare " + policy);
    assertThat(options.spec().room().requestsNodes()).isEqualTo(seconds > 0);
    assertThat(options.spec().room().onNoSpare()).isEqualTo(then);
    assertThat(((Where.Slurm) options.where()).requestSeconds()).isEqualTo(seconds);
  }

  @ParameterizedTest
  @CsvSource({"request:0", "request:x", "'request,share,wait'", "request:5:share", "requests"})
  void asksForNodesInOneWay(String policy) {
    assertThat(refusal("-n 4 --on-no-spare " + policy))
        .startsWith("--on-no-spare " + policy + ": ")
        .contains("request:60,wait");
  }

  @Test
  void onlySlurmIsAskedForNodes() throws Exception {
    assertThat(refusal("-n 4 --launcher local --on-no-spare request"))
        .contains("--on-no-spare request: requests nodes", "use share, wait or abort");
    Files.writeString(directory.resolve("fmi.conf"), "on-no-spare = request:9,wait\n");
    JobSpec spec = options("-n 4 --launcher local").spec();
    assertThat(spec.room().requestsNodes()).isFalse();
    assertThat(spec.room().onNoSpare()).isEqualTo(JobSpec.OnNoSpare.WAIT);
  }

  @ParameterizedTest
  @CsvSource({
    "slurm 22.05.8, false",
    "slurm-wlm 23.02.7, false",
    "slurm 23.11.0, true",
    "slurm 24.05.1-site2, true",
    "slurm 25.11.6, true",
    "unknown, false"
  })
  void newerOnesKnowThatADaemonStartsOthers(String version, boolean newer) throws Exception {
    slurm.command("srun", "echo " + version);
    assertThat(((Where.Slurm) options("-n 4 --slurm-args --exact").where()).arguments())
        .isEqualTo(newer ? List.of("--external-launcher", "--exact") : List.of("--exact"));
  }
}
