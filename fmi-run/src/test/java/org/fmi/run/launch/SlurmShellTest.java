package org.fmi.run.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.fmi.run.slurm.Allocation;
import org.fmi.run.slurm.LentNodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SlurmShellTest {
  private final SlurmShell shell =
      new SlurmShell(
          new LentNodes(
              new Allocation("7", "node[1-4]", List.of(), List.of(), true, Map.of()), Map.of(), 20),
          List.of("--exact", "-c2"));

  @Test
  void aStepForOneNodeThatNoOtherNodeCanEnd() {
    assertThat(shell.command("node3", List.of("/opt/fmi/bin/fmi-daemon", "--fence")))
        .startsWith("setsid")
        .contains("--jobid=7", "--overlap", "--no-kill", "--kill-on-bad-exit=0", "--wait=0")
        .containsSequence("-N1", "-n1", "-w", "node3", "--exact", "-c2")
        .endsWith("/opt/fmi/bin/fmi-daemon", "--fence");
  }

  /** Or srun would warn in each node's name that they do not fit a step of one task. */
  @Test
  void theTasksOfTheJobAreNotThoseOfTheStep() {
    assertThat(shell.command("node3", List.of("true")))
        .containsSequence("-u", "SLURM_NTASKS_PER_NODE")
        .containsSubsequence("SLURM_CPU_BIND=none", "srun");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1 | srun: error: Requested node configuration is not available | check node3 with sinfo, or omit it | false
          233 | srun: error: Task launch for StepId=7.2 failed on node node3: Timeout | Task launch | false
          2 | slurmstepd: error: execve(): /opt/fmi/bin/fmi-daemon: No such file | --prefix | true
          127 | slurm_script: 20: exec: /opt/fmi/bin/fmi-daemon: not found | --prefix | true
          1 | srun: error: Unable to confirm allocation for job 7: Invalid job id specified | unset SLURM_JOB_ID, or use --launcher local | true
          1 | srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 7 | Slurm job 7 is over | true
          0 | srun: error: Node failure on node3 | its step ended (Node failure on node3) | false
          70 | fmi-daemon: FMI needs a JDK 25 | FMI needs a JDK 25 | false
          78 | fmi-daemon: --node-dir /data: no such directory | --node-dir /data | true
          127 | setsid: failed to execute srun: No such file or directory | cannot run srun | true
          """)
  void saysInOneLineWhatIsWrong(int status, String line, String expected, boolean general) {
    String task = "srun: error: node3: task 0: Exited with exit code 70";
    List<String> lines = List.of(task, line, task);
    StartFailure failure = shell.explain("node3", "/opt/fmi", status, lines);
    String text = failure.reason();
    assertThat(text).contains(expected).doesNotContain("\n").doesNotContain("srun: error");
    assertThat(text).doesNotStartWith("fmi-daemon: ");
    assertThat(failure.general()).isEqualTo(general);
  }

  @Test
  void saysSomethingEvenIfThereIsNothingToSay() {
    assertThat(shell.explain("node3", "/opt/fmi", 1, List.of()).reason()).contains("status 1");
  }

  @Test
  void slurmsOwnLinesAreNotTheDaemons() {
    assertThat(shell.isOwn("srun: error: Node failure on node3")).isTrue();
    assertThat(shell.isOwn("slurmstepd: error: *** STEP 7.1 CANCELLED")).isTrue();
    assertThat(shell.isOwn("slurmstepd-node4: error: *** STEP 1.3 ON node4 FAILED")).isTrue();
    assertThat(shell.isOwn("fmi-daemon: cannot reach fmirun")).isFalse();
  }
}
