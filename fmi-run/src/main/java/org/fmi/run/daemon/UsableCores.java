package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.fmi.job.control.CoreList;
import org.fmi.node.ControlGroup;

/**
 * What this process, and those it starts, may use of the machine's cores.
 *
 * @param numbers the cores it may run on, ascending; none if the system does not tell
 * @param whole how many it may keep busy all the time: control groups limit that too
 */
record UsableCores(int[] numbers, int whole) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");
  private static final String GROUP = "0::";

  static UsableCores find() throws IOException {
    int[] numbers = {};
    for (String line : ControlGroup.lines(Path.of("/proc/self/status"))) {
      if (line.startsWith(ALLOWED)) {
        numbers = CoreList.parse(line.substring(ALLOWED.length()).strip());
      }
    }
    for (String line : ControlGroup.lines(ONLINE)) {
      numbers = common(numbers, CoreList.parse(line.strip()));
    }
    // Knows control groups of both versions, but rounds up.
    int whole = Runtime.getRuntime().availableProcessors();
    for (String line : ControlGroup.lines(ControlGroup.OWN)) {
      if (line.startsWith(GROUP)) {
        whole = Math.min(whole, quota(ControlGroup.MOUNT, line.substring(GROUP.length())));
      }
    }
    return new UsableCores(numbers, whole);
  }

  /** What is allowed may hold cores that the machine could have and has not. */
  static int[] common(int[] allowed, int[] online) {
    Set<Integer> there = Arrays.stream(online).boxed().collect(Collectors.toSet());
    return Arrays.stream(allowed).filter(there::contains).toArray();
  }

  /**
   * Whole cores that a control group of version 2 and those above it may use.
   *
   * @param mount where they are to be seen
   * @param group its path
   */
  static int quota(Path mount, String group) throws IOException {
    int whole = Integer.MAX_VALUE;
    for (Path directory : ControlGroup.upwards(mount, group)) {
      for (String line : ControlGroup.lines(directory.resolve("cpu.max"))) {
        String[] quotaAndPeriod = line.split(" ", -1);
        if (!quotaAndPeriod[0].equals("max")) {
          long cores = Long.parseLong(quotaAndPeriod[0]) / Long.parseLong(quotaAndPeriod[1]);
          whole = (int) Math.min(whole, cores);
        }
      }
    }
    return whole;
  }
}
