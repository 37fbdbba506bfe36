package org.fmi.run.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.run.slurm.FakeSlurm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A job of Slurm whose commands are scripts here: its two nodes are this machine. What Slurm itself
 * does is tried by {@code dev/cluster/slurm}.
 */
@Execution(ExecutionMode.CONCURRENT)
final class SlurmIT {
  @TempDir private Path directory;

  /** All processes get USR1, as Slurm sends it to those of a job whose time is short. */
  @Test
  void aJobOfSlurmStopsAtACheckpointWhenAllGetItsSignal() throws Exception {
    FakeSlurm slurm = new FakeSlurm(Files.createDirectory(directory.resolve("slurm")));
    // As of 24.05, which has one more option, behind the node.
    slurm.command(
        "srun",
        """
        [ "$1" != --version ] || { echo slurm 24.05.1; exit; }
        while [ "$1" != -w ]; do shift; done
        [ "$3" = --external-launcher ] || exit 1
        shift 3
        exec "$@"
        """);
    slurm.command("scontrol", "echo n1; echo n2");
    slurm.command("squeue", "echo 'UNLIMITED|n[1-2]'");
    slurm.command("sinfo", "exit 0");
    try (Fmirun.Running running =
        new Fmirun(
                directory,
                "--interval",
                "20",
                "--l2-dir",
                directory.resolve("files").toString(),
                "--l2-every",
                "100000000",
                "-cp",
                Path.of("target", "test-classes").toString(),
                MeteredProgram.class.getName())
            .env("PATH", slurm.directory() + ":" + System.getenv("PATH"))
            .env("SLURM_JOB_ID", "7")
            .env("SLURM_JOB_NODELIST", "n[1-2]")
            .env("SLURM_JOB_CPUS_PER_NODE", "1(x2)")
            .start()) {
      running.awaitEvent("CheckpointCommitted", 1);
      List<Long> others = new ArrayList<>(running.ranks());
      others.addAll(running.daemons());
      signal(others);
      // Nothing has come of it: the job goes on.
      running.awaitEvent("CheckpointCommitted", 3);
      signal(List.of(running.process().pid()));
      Fmirun.Result result = running.await();
      assertThat(result.status()).as(result.err()).isEqualTo(75);
      assertThat(result.count("NodeFailed")).isZero();
      assertThat(result.count("RecoveryBegun")).isZero();
      assertThat(result.err())
          .contains("on the nodes of Slurm job 7, n[1-2]")
          .contains("--no-kill")
          .contains("signal USR1; the job stops after writing its next checkpoint")
          .contains("--restart-from");
    }
  }

  private static void signal(List<Long> processes) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kill", "-USR1"));
    processes.forEach(pid -> command.add(Long.toString(pid)));
    Process kill = new ProcessBuilder(command).inheritIO().start();
    assertThat(kill.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }
}
