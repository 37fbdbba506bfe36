package org.fmi.run.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;
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
    runQuietly(shell.command(host, List.of(daemon(), "--fence")), last.text());
    shell.fenced(host);
  }

  @Override
  public void killDaemon(String host, long pid) throws IOException {
    runQuietly(shell.command(host, List.of("kill", "-9", Long.toString(pid))), "");
  }

  /** Best effort: the host may be dead. */
  private static void runQuietly(List<String> command, String input) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      // It has ended already: the host is unreachable.
    }
    try {
      if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
