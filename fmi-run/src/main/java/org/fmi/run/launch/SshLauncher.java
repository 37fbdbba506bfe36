package org.fmi.run.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.job.control.Bootstrap;

/** Starts daemons on other hosts, through ssh without passwords. */
public final class SshLauncher implements Launcher {
  private static final int SSH_FAILED = 255;
  private static final int NOT_FOUND = 127;
  private static final int NOT_EXECUTABLE = 126;
  private static final int COMMAND_SECONDS = 15;

  private final List<String> hosts;
  private final String prefix;

  /**
   * @param hosts by node
   * @param prefix where FMI is installed on them
   */
  public SshLauncher(List<String> hosts, String prefix) {
    this.hosts = List.copyOf(hosts);
    this.prefix = prefix;
  }

  @Override
  public DaemonProcess start(Bootstrap bootstrap) throws IOException {
    String host = hosts.get(bootstrap.node());
    return DaemonProcess.start(
        ssh(host, quoted(prefix + "/bin/fmi-daemon")),
        bootstrap,
        (status, lines) -> explain(host, prefix, status, lines));
  }

  @Override
  public void fence(Bootstrap last) throws IOException {
    runQuietly(
        ssh(hosts.get(last.node()), quoted(prefix + "/bin/fmi-daemon") + " --fence"), last.text());
  }

  @Override
  public void killDaemon(int node, long pid) throws IOException {
    runQuietly(ssh(hosts.get(node), "kill -9 " + pid), "");
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

  static List<String> ssh(String host, String remoteCommand) {
    // A session of its own: Ctrl-C is fmirun's business.
    List<String> command = new ArrayList<>(List.of("setsid", "ssh"));
    for (String option :
        List.of(
            "BatchMode=yes",
            "ConnectTimeout=5",
            "ServerAliveInterval=5",
            "ServerAliveCountMax=3",
            // A connection of its own: one that is shared may lead to a host that has died since.
            "ControlMaster=no",
            "ControlPath=none",
            // Whatever the user's configuration says: a terminal would show what the daemon reads,
            // and
            // a port that is forwarded already would be an error.
            "RequestTTY=no",
            "ClearAllForwardings=yes")) {
      command.add("-o");
      command.add(option);
    }
    command.add("--");
    command.add(host);
    command.add(remoteCommand);
    return command;
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** One line that names what is wrong and the way out. */
  static String explain(String host, String prefix, int status, List<String> lines) {
    String all = String.join("\n", lines);
    String last = lines.isEmpty() ? "status " + status : lines.getLast().strip();
    if (status == SSH_FAILED) {
      if (all.contains("Could not resolve hostname")) {
        return "unknown host " + host + ": correct its name";
      }
      if (all.contains("REMOTE HOST IDENTIFICATION HAS CHANGED")) {
        return "the host key of "
            + host
            + " is not the one known to ssh: if that is right, remove the old one (ssh-keygen -R "
            + host
            + ")";
      }
      if (all.contains("Host key verification failed")) {
        return "the host key of "
            + host
            + " is not known to ssh: log in once by hand, or add it to ~/.ssh/known_hosts";
      }
      if (all.contains("Permission denied")) {
        return host
            + " does not let you in without a password: set up a key (ssh-copy-id "
            + host
            + ")";
      }
      return "ssh cannot reach "
          + host
          + " ("
          + last.replaceFirst("^ssh: ", "")
          + "): check that it is up and runs sshd, or leave it out";
    }
    if (status == NOT_FOUND && last.startsWith("setsid: ")) {
      return "there is no ssh on this machine (" + last + "): install it (openssh-client)";
    }
    if (status == NOT_FOUND || status == NOT_EXECUTABLE) {
      return "FMI is not installed at "
          + prefix
          + " on "
          + host
          + " ("
          + last
          + "): install it there, or name the place with --prefix";
    }
    return last.replaceFirst("^fmi-daemon: ", "");
  }
}
