package org.fmi.run.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.fmi.run.slurm.FakeSlurm;
import org.fmi.spi.Finding;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of Slurm are scripts here. */
final class SlurmTrialTest {
  @TempDir private Path directory;
  private final Map<String, String> environment = new TreeMap<>();

  private FakeSlurm slurm = new FakeSlurm(Path.of(""));

  @BeforeEach
  void twoNodesOneOfWhichTakesNoStep() throws IOException {
    slurm = new FakeSlurm(directory);
    slurm.command("scontrol", "echo n1; echo n2");
    slurm.command("squeue", "echo ' 1:02:03'");
    slurm.command(
        "srun",
        "case \"$*\" in",
        "--version) echo 'slurm 22.05.8' ;;",
        "*'-w n1 '*) echo Filesystem; echo 'tmpfs 8.0G 1.0G 7.0G 1% /dev/shm' ;;",
        "*) echo 'srun: error: Requested node configuration is not available' >&2; exit 1 ;;",
        "esac");
    environment.put("PATH", directory.toString());
    environment.put("SLURM_JOB_ID", "7");
    environment.put("SLURM_JOB_NODELIST", "n[1-2]");
    environment.put("SLURM_JOB_CPUS_PER_NODE", "1(x2)");
  }

  @Test
  void tellsOfTheJobAndOfEachNode() {
    List<Finding> findings = new SlurmTrial(environment).findings();
    assertThat(findings).hasSize(3);
    assertThat(findings.get(0).text())
        .contains("slurm 22.05.8", "job 7 on n[1-2]", "1:02:03", "--no-kill");
    assertThat(findings.get(1))
        .isEqualTo(Finding.ok("Slurm: n1 runs steps, 7.0G free in /dev/shm"));
    assertThat(findings.get(2).kind()).isEqualTo(Finding.Kind.FAILED);
    assertThat(findings.get(2).text()).contains("n2 does not run steps").contains("not available");
  }

  @Test
  void findsNothingOutsideOfJobs() {
    environment.remove("SLURM_JOB_ID");
    assertThat(new SlurmTrial(environment).findings()).isEmpty();
  }
}
