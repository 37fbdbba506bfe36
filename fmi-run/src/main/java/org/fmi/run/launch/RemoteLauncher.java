package org.fmi.run.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;
import org.fmi.run.daemon.DaemonMain;
import org.fmi.run.slurm.LentNodes;

/** Starts daemons on other hosts. */
public final class RemoteLauncher implements Launcher {
  private static final int COMMAND_SECONDS = 15;

  private final RemoteShell shell;
  private final String prefix;

  private RemoteLauncher(RemoteShell shell, String prefix) {
    this.shell = shell;
    this.prefix = prefix;
  }

  /**
   * Returns a launcher that uses ssh without passwords.
   *
   * @param prefix directory of FMI on the hosts
   */
  public static RemoteLauncher ssh(String prefix) {
    return new RemoteLauncher(new SshShell(), prefix);
  }

  /**
   * Returns a launcher that uses steps of a Slurm job.
   *
   * @param nodes finds the job that has a node
   * @param arguments additional arguments of srun
   * @param prefix directory of FMI on the hosts
   */
  public static RemoteLauncher slurm(LentNodes nodes, List<String> arguments, String prefix) {
    return new RemoteLauncher(new SlurmShell(nodes, arguments), prefix);
  }

  private String daemon() {
    return prefix + "/bin/fmi-daemon";
  }

  @Override
  public DaemonProcess start(String host, Bootstrap bootstrap) throws IOException {
    return DaemonProcess.start(
        shell.command(host, shell.daemon(host, daemon())),
        bootstrap,
        (status, lines) -> shell.explain(host, prefix, status, lines),
        shell::isOwn,
        false);
  }

  @Override
  public void fence(String host, Bootstrap last) throws IOException {
    var _ = output(shell.command(host, List.of(daemon(), "--fence")), last.text());
    shell.fenced(host);
  }

  @Override
  public boolean isDead(String host, Bootstrap last) throws IOException {
    return output(shell.command(host, List.of(daemon(), "--dead")), last.text())
        .lines()
        .anyMatch(DaemonMain.DEAD::equals);
  }

  @Override
  public void killDaemon(String host, long pid) throws IOException {
    var _ = output(shell.command(host, List.of("kill", "-9", Long.toString(pid))), "");
  }

  /** Returns the output of a command; empty if it does not end in time, as the host may be dead. */
  private static String output(List<String> command, String input) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      // It has ended already: the host is unreachable.
    }
    try {
      if (process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      }
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    return "";
  }
}
