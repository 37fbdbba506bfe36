package org.fmi.node;

/** Says in a line why the system refused something, and what would help. */
public final class Refusal {
  private Refusal() {}

  /**
   * The reason that an exception names, with what would help if it is a limit.
   *
   * @param e of a file, a socket or a process
   */
  public static String text(Throwable e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return e.toString();
    }
    // Of a process that cannot be started the JDK writes a page, and what errno says in brackets.
    String line = message.lines().findFirst().orElse(message).strip();
    String wayOut = wayOut(line);
    return line.contains(wayOut) ? line : line + wayOut; // as whoever threw it may have said it
  }

  /** Whether it is not for lack of room that a file could not grow. */
  public static boolean isOfLimit(Throwable e) {
    return !wayOut(String.valueOf(e.getMessage())).isEmpty();
  }

  /** By the words of strerror(3), which are all that Java passes on. */
  private static String wayOut(String reason) {
    if (reason.contains("Too many open files in system")) {
      return "; the machine has no more of them: a larger fs.file-max would help (sysctl)";
    } else if (reason.contains("Too many open files")) {
      return "; a process may not have as many as it needs: raise the limit (ulimit -n 4096)";
    } else if (reason.contains("File too large")) {
      return "; files may not be as large as that, those in memory included: lift the limit"
          + " (ulimit -f unlimited)";
    } else if (reason.contains("Disk quota exceeded")) {
      return "; your files may not take more there: delete some, or have the quota raised";
    }
    return "";
  }
}
