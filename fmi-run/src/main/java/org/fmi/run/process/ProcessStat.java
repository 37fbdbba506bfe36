package org.fmi.run.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the system says of a process at one moment: proc_pid_stat(5). */
public final class ProcessStat {
  /** The first field after the name, which may itself contain anything. */
  private static final int STATE = 3;

  private final String[] fromState;

  private ProcessStat(String[] fromState) {
    this.fromState = fromState;
  }

  /**
   * Reads it.
   *
   * @param process its directory in /proc
   * @throws IOException if there is no such process any more
   */
  public static ProcessStat of(Path process) throws IOException {
    String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
    return new ProcessStat(stat.substring(stat.lastIndexOf(')') + 2).strip().split(" ", -1));
  }

  /** A field after the name, by its number in the manual: 3 is the state. */
  public String field(int number) {
    return fromState[number - STATE];
  }
}
