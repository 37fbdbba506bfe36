package org.fmi.run.daemon;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.fmi.job.control.CoreList;
import org.fmi.node.ControlGroup;

/**
 * The cores of the machine that this process and its descendants may use.
 *
 * @param cores the usable cores, each with the numbers of its hardware threads, all ascending; none
 *     if unknown
 * @param whole the number of hardware threads that may be busy all the time, which control groups
 *     limit, too
 */
public record UsableCores(List<int[]> cores, int whole) {
  private static final String ALLOWED = "Cpus_allowed_list:";
  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");
  private static final Path CPUS = Path.of("/sys/devices/system/cpu");
  private static final String GROUP = "0::";

  public UsableCores {
    cores = List.copyOf(cores);
  }

  /**
   * Queries the system.
   *
   * @throws IOException if the query fails
   */
  public static UsableCores find() throws IOException {
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
    return new UsableCores(ofHardwareThreads(numbers, UsableCores::siblings), whole);
  }

  /**
   * Returns the cores of hardware threads, in the order of their first threads.
   *
   * @param numbers usable hardware threads, ascending
   * @param siblings all threads of the core of one thread; none if unknown
   */
  static List<int[]> ofHardwareThreads(int[] numbers, IntFunction<int[]> siblings) {
    List<int[]> cores = new ArrayList<>();
    Set<Integer> found = new HashSet<>();
    for (int number : numbers) {
      if (found.add(number)) {
        int[] others = common(numbers, siblings.apply(number));
        int[] core =
            Arrays.stream(others).filter(other -> other == number || found.add(other)).toArray();
        cores.add(core.length == 0 ? new int[] {number} : core);
      }
    }
    return cores;
  }

  private static int[] siblings(int number) {
    Path list = CPUS.resolve("cpu" + number + "/topology/thread_siblings_list");
    try {
      return ControlGroup.lines(list).stream()
          .flatMapToInt(line -> Arrays.stream(CoreList.parse(line.strip())))
          .toArray();
    } catch (IOException e) {
      // As on a machine with one thread per core.
      return new int[0];
    }
  }

  /**
   * Intersects the allowed cores with those online: the allowed ones may include cores that the
   * machine does not have.
   */
  static int[] common(int[] allowed, int[] online) {
    Set<Integer> there = Arrays.stream(online).boxed().collect(Collectors.toSet());
    return Arrays.stream(allowed).filter(there::contains).toArray();
  }

  /**
   * Returns the whole cores that a control group of version 2 and its parents may use.
   *
   * @param mount mount point of control groups
   * @param group path of the group
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
