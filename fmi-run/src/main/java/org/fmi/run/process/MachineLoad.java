package org.fmi.run.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The number of threads of this machine that want a core, and the number of cores. */
public final class MachineLoad {
  private MachineLoad() {}

  /** Returns it in words for the user: {@code load 149 on 2 cores}. */
  public static String text() {
    try {
      return text(
          Files.readString(Path.of("/proc/loadavg")), Runtime.getRuntime().availableProcessors());
    } catch (IOException e) {
      return "its load is unknown: " + e.getMessage();
    }
  }

  /**
   * Returns the same.
   *
   * @param loadavg content as in proc_loadavg(5): the average of the last minute is first
   */
  static String text(String loadavg, int cores) {
    long load = Math.round(Double.parseDouble(loadavg.substring(0, loadavg.indexOf(' '))));
    return "load " + load + " on " + (cores == 1 ? "1 core" : cores + " cores");
  }
}
