package org.fmi.run.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.fmi.run.daemon.DaemonMain;

/** A shell on another host through ssh, without passwords. */
final class SshShell implements RemoteShell {
  private static final int SSH_FAILED = 255;
  private static final int NOT_FOUND = 127;
  private static final int NOT_EXECUTABLE = 126;

  @Override
  public List<String> command(String host, List<String> words) {
    // In a separate session: Ctrl-C is for fmirun.
    List<String> command = new ArrayList<>(List.of("setsid", "ssh"));
    for (String option :
        List.of(
            "BatchMode=yes",
            "ConnectTimeout=5",
            "ServerAliveInterval=5",
            "ServerAliveCountMax=3",
            // With a separate connection: a shared one may lead to a host that has died since.
            "ControlMaster=no",
            "ControlPath=none",
            // Regardless of the user's configuration: a terminal would show the daemon's input, and
            // an already forwarded port would be an error.
            "RequestTTY=no",
            "ClearAllForwardings=yes",
            // The administrator of a node could use a forwarded agent or display.
            "ForwardAgent=no",
            "ForwardX11=no")) {
      command.add("-o");
      command.add(option);
    }
    command.add("--");
    command.add(host);
    command.add(words.stream().map(SshShell::quoted).collect(Collectors.joining(" ")));
    return command;
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** Returns false, because greetings cannot be distinguished from the daemon's lines. */
  @Override
  public boolean isOwn(String line) {
    return false;
  }

  /** Returns one line with the problem and the remedy. */
  @Override
  public StartFailure explain(String host, String prefix, int status, List<String> lines) {
    String all = String.join("\n", lines);
    String last = lines.isEmpty() ? "status " + status : lines.getLast().strip();
    if (status == SSH_FAILED) {
      return StartFailure.ofNode(noConnection(host, all, last));
    }
    if (status == NOT_FOUND && last.startsWith("setsid: ")) {
      return StartFailure.ofAnyNode(
          "ssh is not installed on this machine (" + last + "): install openssh-client");
    }
    if (status == NOT_FOUND || status == NOT_EXECUTABLE) {
      return RemoteShell.notInstalled(host, prefix, last);
    }
    return new StartFailure(
        last.replaceFirst("^fmi-daemon: ", ""), status == DaemonMain.WRONG_SETTING);
  }

  private static String noConnection(String host, String all, String last) {
    if (all.contains("Could not resolve hostname")) {
      return "unknown host " + host + ": correct its name";
    }
    if (all.contains("REMOTE HOST IDENTIFICATION HAS CHANGED")) {
      return "the host key of "
          + host
          + " differs from the one known to ssh: if the change is legitimate, remove the old key"
          + " (ssh-keygen -R "
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
          + " does not accept a login without a password: set up a key (ssh-copy-id "
          + host
          + ")";
    }
    return "ssh cannot reach "
        + host
        + " ("
        + last.replaceFirst("^ssh: ", "")
        + "): check that it is up and runs sshd, or omit it";
  }
}
