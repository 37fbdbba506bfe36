package org.fmi.run.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.fmi.run.slurm.Allocation;
import org.fmi.run.slurm.SlurmCommand;
import org.fmi.spi.Finding;

/**
 * Tries the parts of Slurm that a job needs, in an allocation: its commands, and a step on each
 * node.
 */
final class SlurmTrial {
  private static final int SECONDS = 15;

  private final Map<String, String> environment;

  /**
   * @param environment environment of a process that Slurm has started, directly or not
   */
  SlurmTrial(Map<String, String> environment) {
    this.environment = environment;
  }

  /** Returns the findings; none outside of Slurm jobs. */
  List<Finding> findings() {
    if (!Allocation.isInside(environment)) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    try {
      Allocation allocation = Allocation.of(environment);
      List<String> version = run("srun", "--version");
      List<String> left = run("squeue", "-h", "-j", allocation.job(), "-o", "%L");
      findings.add(
          Finding.ok(
              "Slurm: "
                  + first(version)
                  + ", job "
                  + allocation.job()
                  + " on "
                  + allocation.list()
                  + ", time left: "
                  + first(left)
                  + "; Slurm ends it when a node is lost, unless it was submitted with --no-kill"));
      allocation.nodes().forEach(node -> findings.add(step(allocation, node)));
    } catch (IOException e) {
      findings.add(Finding.failed("Slurm: " + e.getMessage()));
    }
    return findings;
  }

  private Finding step(Allocation allocation, String node) {
    try {
      List<String> lines =
          run(
              "srun",
              "--jobid=" + allocation.job(),
              "--overlap",
              "--mpi=none",
              "-N1",
              "-n1",
              "-w",
              node,
              "df",
              "-Ph",
              "/dev/shm");
      String[] words = (lines.isEmpty() ? "" : lines.getLast()).split("\\s+");
      return Finding.ok(
          "Slurm: "
              + node
              + " runs steps"
              + (words.length > 3 ? ", " + words[3] + " free in /dev/shm" : ""));
    } catch (IOException e) {
      return Finding.failed("Slurm: " + node + " does not run steps: " + e.getMessage());
    }
  }

  private List<String> run(String name, String... arguments) throws IOException {
    return SlurmCommand.of(name, environment).with(arguments).run(SECONDS);
  }

  private static String first(List<String> lines) {
    return lines.isEmpty() ? "unknown" : lines.getFirst().strip();
  }
}
