package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.fmi.run.control.CoreList;

/**
 * What this process, and those it starts, may use of the machine's cores.
 *
 * @param numbers the cores it may run on, ascending; none if the system does not tell
 * @param whole how many it may keep busy all the time: control groups limit that too
 */
record UsableCores(int[] numbers, int whole) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final String GROUP = "0::/";

  static UsableCores find() throws IOException {
    int[] numbers = {};
    for (String line : lines(Path.of("/proc/self/status"))) {
      if (line.startsWith(ALLOWED)) {
        numbers = CoreList.parse(line.substring(ALLOWED.length()).strip());
      }
    }
    // Knows control groups of both versions, but rounds up.
    int whole = Runtime.getRuntime().availableProcessors();
    for (String line : lines(Path.of("/proc/self/cgroup"))) {
      if (line.startsWith(GROUP)) {
        whole = Math.min(whole, quota(Path.of("/sys/fs/cgroup"), line.substring(GROUP.length())));
      }
    }
    return new UsableCores(numbers, whole);
  }

  /**
   * Whole cores that a control group of version 2 and those above it may use.
   *
   * @param mount where they are to be seen
   * @param group relative to it
   */
  static int quota(Path mount, String group) throws IOException {
    int whole = Integer.MAX_VALUE;
    Path directory = mount.resolve(group).normalize();
    while (directory != null && directory.startsWith(mount)) {
      for (String line : lines(directory.resolve("cpu.max"))) {
        String[] quotaAndPeriod = line.split(" ", -1);
        if (!quotaAndPeriod[0].equals("max")) {
          long cores = Long.parseLong(quotaAndPeriod[0]) / Long.parseLong(quotaAndPeriod[1]);
          whole = (int) Math.min(whole, cores);
        }
      }
      directory = directory.getParent();
    }
    return whole;
  }

  private static List<String> lines(Path file) throws IOException {
    try {
      return Files.readAllLines(file);
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }
}
