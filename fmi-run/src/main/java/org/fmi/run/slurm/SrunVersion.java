package org.fmi.run.slurm;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The capabilities of this site's srun, by its version. */
public final class SrunVersion {
  private static final int SECONDS = 15;
  private static final int YEAR = 23;
  private static final int MONTH = 11;

  /** Matches slurm 23.11.4, and slurm-wlm 22.05.8. */
  private static final Pattern VERSION = Pattern.compile("\\b(\\d{2})\\.(\\d{2})(?:\\.\\d|\\b)");

  private SrunVersion() {}

  /**
   * Returns the arguments for a process that starts other processes: such a step has all resources
   * of the job on its node, and uses none up.
   */
  public static List<String> launcherArguments(Map<String, String> environment) {
    try {
      List<String> lines = SlurmCommand.of("srun", environment).with("--version").run(SECONDS);
      Matcher version = VERSION.matcher(String.join(" ", lines));
      if (version.find()) {
        int year = Integer.parseInt(version.group(1));
        int month = Integer.parseInt(version.group(2));
        return year > YEAR || (year == YEAR && month >= MONTH)
            ? List.of("--external-launcher")
            : List.of();
      }
    } catch (IOException e) {
      // The failure will be reported for each node.
    }
    return List.of();
  }
}
