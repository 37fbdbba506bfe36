package org.fmi.run.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.fmi.run.daemon.DaemonMain;
import org.fmi.run.slurm.Allocation;
import org.fmi.run.slurm.LentNodes;

/**
 * Steps of a Slurm job, one per command: a common step would be aborted by the first node that
 * fails, and could not be restarted on one node.
 *
 * <p>srun's reports about a node are late, and may be wrong: it ends with status 0 when the node is
 * lost.
 */
final class SlurmShell implements RemoteShell {
  /** Statuses of srun, and of a shell. */
  private static final Set<Integer> NO_PROGRAM = Set.of(2, 127);

  /** Slurm's messages about a job that it no longer knows. */
  private static final Pattern GONE = Pattern.compile("(?i)invalid job id|invalid job \\d");

  private static final String DAEMON = "fmi-daemon: ";
  private static final String ERROR = "error: ";

  private final LentNodes nodes;
  private final List<String> arguments;

  /**
   * @param nodes finds the job that has a node
   */
  SlurmShell(LentNodes nodes, List<String> arguments) {
    this.nodes = nodes;
    this.arguments = List.copyOf(arguments);
  }

  @Override
  public List<String> command(String host, List<String> words) {
    List<String> command =
        new ArrayList<>(
            List.of(
                // In a separate session: Ctrl-C is for fmirun, and two of them within a second
                // would abort the step.
                "setsid",
                "env",
                // Settings of the job's tasks do not apply to a step of one task.
                "-u",
                "SLURM_NTASKS",
                "-u",
                "SLURM_NPROCS",
                "-u",
                "SLURM_NTASKS_PER_NODE",
                "-u",
                "SLURM_DISTRIBUTION",
                // fmirun binds ranks itself. As an option, it is an error at a site without
                // binding.
                "SLURM_CPU_BIND=none",
                "srun",
                "--jobid=" + nodes.jobOf(host),
                "--overlap",
                "--no-kill",
                "--mpi=none",
                "--unbuffered",
                "--kill-on-bad-exit=0",
                "--wait=0",
                "-N1",
                "-n1",
                "-w",
                host));
    command.addAll(arguments);
    command.addAll(words);
    return command;
  }

  @Override
  public List<String> daemon(String host, String program) {
    return nodes.daemon(host, program);
  }

  @Override
  public void fenced(String host) {
    nodes.giveBack(host);
  }

  @Override
  public boolean isOwn(String line) {
    return line.startsWith("srun: ") || line.startsWith("slurmstepd");
  }

  @Override
  public StartFailure explain(String host, String prefix, int status, List<String> lines) {
    Optional<String> daemon = lines.stream().filter(line -> line.startsWith(DAEMON)).findFirst();
    if (daemon.isPresent()) {
      return new StartFailure(
          daemon.get().substring(DAEMON.length()), status == DaemonMain.WRONG_SETTING);
    }
    Optional<String> noSrun =
        lines.stream()
            .filter(line -> line.startsWith("setsid: ") || line.startsWith("env: "))
            .findFirst();
    if (noSrun.isPresent()) {
      return StartFailure.ofAnyNode("cannot run srun on this machine (" + noSrun.get() + ")");
    }
    List<String> errors =
        lines.stream()
            .filter(line -> isOwn(line) && line.contains(ERROR))
            .map(line -> line.substring(line.indexOf(ERROR) + ERROR.length()).strip())
            .toList();
    // The end of a task says less than its reason, which may follow later.
    String first =
        errors.stream()
            .filter(line -> !line.contains(": task "))
            .findFirst()
            .orElse(
                !errors.isEmpty()
                    ? errors.getFirst()
                    : lines.isEmpty() ? "status " + status : lines.getLast().strip());
    if (GONE.matcher(String.join("\n", lines)).find()) {
      return StartFailure.ofAnyNode(
          "Slurm job "
              + nodes.jobOf(host)
              + " is over ("
              + first
              + "); if this is not in that job, "
              + Allocation.LEAVE);
    }
    if (NO_PROGRAM.contains(status)) {
      return RemoteShell.notInstalled(host, prefix, first);
    }
    return StartFailure.ofNode(
        status == 0
            ? "its step ended (" + first + ")"
            : "Slurm does not run its daemon ("
                + first
                + "): check "
                + host
                + " with sinfo, or omit it");
  }
}
