package org.fmi.run.launch;

import java.util.List;

/** A way to run a command on another host, with our standard input. */
interface RemoteShell {
  /**
   * Returns the command to run here.
   *
   * @param words the command, as the other host must see it
   */
  List<String> command(String host, List<String> words);

  /** Returns the command that runs a daemon on another host, as that host must see it. */
  default List<String> daemon(String host, String program) {
    return List.of(program);
  }

  /** Notes that a host was fenced, as far as possible. */
  default void fenced(String host) {}

  /**
   * Returns the reason why a daemon did not start, or ended, on one line.
   *
   * @param prefix expected directory of FMI on that host
   * @param status status of the process here
   * @param lines its last lines
   */
  StartFailure explain(String host, String prefix, int status, List<String> lines);

  /** Whether a line is not the daemon's. */
  boolean isOwn(String line);

  /** Returns the failure of a host without FMI at its prefix. */
  static StartFailure notInstalled(String host, String prefix, String reason) {
    return StartFailure.ofAnyNode(
        "FMI is not installed at "
            + prefix
            + " on "
            + host
            + " ("
            + reason
            + "): install it there, or name its directory with --prefix");
  }
}
