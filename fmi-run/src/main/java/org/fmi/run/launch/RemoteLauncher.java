package org.fmi.run.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;

/** Starts daemons on other hosts. */
public final class RemoteLauncher implements Launcher {
  private static final int COMMAND_SECONDS = 15;

  private final RemoteShell shell;
  private final List<String> hosts;
  private final String prefix;

  private RemoteLauncher(RemoteShell shell, List<String> hosts, String prefix) {
    this.shell = shell;
    this.hosts = List.copyOf(hosts);
    this.prefix = prefix;
  }

  /**
   * Goes through ssh without passwords.
   *
   * @param hosts by node
   * @param prefix where FMI is installed on them
   */
  public static RemoteLauncher ssh(List<String> hosts, String prefix) {
    return new RemoteLauncher(new SshShell(), hosts, prefix);
  }

  /**
   * Goes through steps of a job of Slurm.
   *
   * @param job its number
   * @param arguments more of them for srun
   * @param hosts by node
   * @param prefix where FMI is installed on them
   */
  public static RemoteLauncher slurm(
      String job, List<String> arguments, List<String> hosts, String prefix) {
    return new RemoteLauncher(new SlurmShell(job, arguments), hosts, prefix);
  }

  private String daemon() {
    return prefix + "/bin/fmi-daemon";
  }

  @Override
  public DaemonProcess start(Bootstrap bootstrap) throws IOException {
    String host = hosts.get(bootstrap.node());
    return DaemonProcess.start(
        shell.command(host, List.of(daemon())),
        bootstrap,
        (status, lines) -> shell.explain(host, prefix, status, lines),
        shell::isOwn);
  }

  @Override
  public void fence(Bootstrap last) throws IOException {
    runQuietly(shell.command(hosts.get(last.node()), List.of(daemon(), "--fence")), last.text());
  }

  @Override
  public void killDaemon(int node, long pid) throws IOException {
    runQuietly(shell.command(hosts.get(node), List.of("kill", "-9", Long.toString(pid))), "");
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
      // It has ended already: the host is not to be reached.
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
