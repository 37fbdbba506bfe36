package org.fmi.run.launch;

import java.util.List;

/** A way to have a command run on another host, with our standard input. */
interface RemoteShell {
  /**
   * What is to be run here.
   *
   * @param words the command, as the other host is to see it
   */
  List<String> command(String host, List<String> words);

  /** The command that runs a daemon on another host, as that host is to see it. */
  default List<String> daemon(String host, String program) {
    return List.of(program);
  }

  /** Nothing of a daemon is left on a host, as far as that could be done. */
  default void fenced(String host) {}

  /**
   * Says in one line why a daemon did not start, or why it ended.
   *
   * @param prefix where FMI should be on that host
   * @param status of the process here
   * @param lines the last ones that came
   */
  StartFailure explain(String host, String prefix, int status, List<String> lines);

  /** Whether a line is no word of the daemon. */
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
