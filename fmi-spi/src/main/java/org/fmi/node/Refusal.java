package org.fmi.node;

/** Explains why the system refused something, and what would help. */
public final class Refusal {
  private Refusal() {}

  /**
   * The reason that an exception gives and, if it is a limit, what would help.
   *
   * @param e of a file, a socket or a process
   */
  public static String text(Throwable e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return e.toString();
    }
    // If a process cannot be started, the JDK's message is a page long, with the text of errno in
    // brackets.
    String line = message.lines().findFirst().orElse(message).strip();
    String advice = advice(line);
    return line.contains(advice) ? line : line + advice; // already said by an earlier handler
  }

  /** Whether a file could not grow for another reason than lack of room. */
  public static boolean isOfLimit(Throwable e) {
    return !advice(String.valueOf(e.getMessage())).isEmpty();
  }

  /** Whether the system refused something for lack of room: on a device, by a quota or a limit. */
  public static boolean isOfRoom(Throwable e) {
    String reason = String.valueOf(e.getMessage());
    return reason.contains("No space left on device")
        || reason.contains("Disk quota exceeded")
        || reason.contains("File too large");
  }

  /** Finds advice by the words of strerror(3), all that Java passes on. */
  private static String advice(String reason) {
    if (reason.contains("Too many open files in system")) {
      return "; the machine has reached its limit: raise fs.file-max (sysctl)";
    } else if (reason.contains("Too many open files")) {
      return "; this process has reached its limit: raise it (ulimit -n 4096)";
    } else if (reason.contains("File too large")) {
      return "; the file exceeds the size limit, which covers files in memory too: lift it"
          + " (ulimit -f unlimited)";
    } else if (reason.contains("Disk quota exceeded")) {
      return "; you have used up your quota there: delete files, or have it raised";
    }
    return "";
  }
}
