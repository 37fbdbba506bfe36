package org.fmi.run.energy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.fmi.job.control.CoreList;
import org.fmi.node.ControlGroup;
import org.jspecify.annotations.Nullable;

/**
 * Limits the frequency of cores, and restores it: {@code scaling_max_freq} of Linux.
 *
 * <p>The original values are written to a file before they are changed, one line each: the system's
 * file, and its value. The cleanup after a killed process {@linkplain #restore restores} them. A
 * core that is already at the limit is not changed, because another program has set it.
 *
 * <p>The threads of one core run at the same frequency, as do all cores for which the system has
 * one limit. They are slowed down together or not at all.
 */
public final class CpuFrequencies {
  /** The directory of the cores in Linux. */
  public static final Path CPUS = Path.of("/sys/devices/system/cpu");

  /** The name of the file in a node's directory. */
  private static final String SAVED = "frequencies";

  private static final String MOST = "cpufreq/scaling_max_freq";
  private static final String LEAST_POSSIBLE = "cpufreq/cpuinfo_min_freq";

  /** Files that list the threads of the same core, and those under the same limit. */
  private static final List<String> SHARING =
      List.of("topology/thread_siblings_list", "cpufreq/affected_cpus");

  private static final int KILOHERTZ_PER_MEGAHERTZ = 1000;

  private final Path cpus;
  private final Path directory;
  private final Path saved;

  /** The changed files, and their original values. */
  private final Map<Path, String> before = new TreeMap<>();

  /**
   * @param cpus {@link #CPUS}, or a copy of it
   * @param directory directory of the node, which only this process may write to
   */
  public CpuFrequencies(Path cpus, Path directory) {
    this.cpus = cpus;
    this.directory = directory;
    this.saved = directory.resolve(SAVED);
  }

  /**
   * Slows these cores of the machine down from now on, and no others. A core that shares its
   * frequency with another core is slowed down only if that core is named, too.
   *
   * @param cores the numbers of their hardware threads
   * @param megahertz their maximum frequency, if they can run that slowly
   * @throws IOException if the system does not permit it; then no core runs slowly
   */
  public void slowDown(List<Integer> cores, int megahertz) throws IOException {
    try {
      List<Integer> slow = new ArrayList<>();
      Set<Integer> idle = Set.copyOf(cores);
      for (int core : cores) {
        if (idle.containsAll(sharing(core))) {
          slow.add(core);
        }
      }
      change(slow, (long) megahertz * KILOHERTZ_PER_MEGAHERTZ);
    } catch (IOException | IllegalArgumentException e) {
      before.clear();
      restore(directory);
      throw new IOException(e.toString(), e);
    }
  }

  /**
   * Returns the hardware threads that run at the same frequency as this one, as reported by the
   * system.
   */
  private Set<Integer> sharing(int core) throws IOException {
    Path directory = cpus.resolve("cpu" + core);
    Set<Integer> all = new TreeSet<>();
    for (String place : SHARING) {
      for (String line : ControlGroup.lines(directory.resolve(place))) {
        for (String list : line.strip().split(" ", -1)) {
          Arrays.stream(CoreList.parse(list)).forEach(all::add);
        }
      }
    }
    return all;
  }

  private void change(List<Integer> cores, long kilohertz) throws IOException {
    List<Path> wanted =
        cores.stream().map(core -> cpus.resolve("cpu" + core + "/" + MOST)).toList();
    for (Path file : List.copyOf(before.keySet())) {
      if (!wanted.contains(file)) {
        write(file, String.valueOf(before.get(file)));
        before.remove(file);
      }
    }
    Map<Path, String> limits = new TreeMap<>();
    for (Path file : wanted) {
      if (!before.containsKey(file)) {
        String now = read(file);
        long least = Long.parseLong(read(file.resolveSibling("cpuinfo_min_freq")));
        long limit = Math.max(least, kilohertz);
        if (Long.parseLong(now) > limit) {
          limits.put(file, Long.toString(limit));
          before.put(file, now);
        }
      }
    }
    save();
    for (Map.Entry<Path, String> each : limits.entrySet()) {
      write(each.getKey(), each.getValue());
    }
  }

  private void save() throws IOException {
    if (before.isEmpty()) {
      Files.deleteIfExists(saved);
      return;
    }
    List<String> lines = new ArrayList<>();
    before.forEach((file, value) -> lines.add(value + " " + file));
    Path unfinished = saved.resolveSibling(SAVED + ".new");
    Files.write(unfinished, lines);
    Files.move(unfinished, saved, StandardCopyOption.ATOMIC_MOVE);
  }

  /**
   * Restores the changes of a process that is gone, if the system permits.
   *
   * @param directory directory of a node, which only this user can have written to
   */
  public static void restore(Path directory) throws IOException {
    Path saved = directory.resolve(SAVED);
    List<String> lines;
    try {
      lines = Files.readAllLines(saved);
    } catch (NoSuchFileException e) {
      return;
    }
    for (String line : lines) {
      int blank = line.indexOf(' ');
      Path file = Path.of(line.substring(blank + 1));
      String value = line.substring(0, Math.max(0, blank));
      try {
        // A file that could not be changed cannot be written now either.
        if (!read(file).equals(value)) {
          write(file, value);
        }
      } catch (IOException e) {
        System.err.println(
            "fmi: the frequency of a core could not be restored; write " + line + " by hand: " + e);
      }
    }
    Files.delete(saved);
  }

  /**
   * Returns why the frequency of a core cannot be limited; null if it can.
   *
   * @param cpus {@link #CPUS}, or a copy of it
   */
  public static @Nullable String problem(Path cpus, int core) {
    Path directory = cpus.resolve("cpu" + core);
    Path file = directory.resolve(MOST);
    if (!Files.exists(file) || !Files.exists(directory.resolve(LEAST_POSSIBLE))) {
      return "the frequency of cores cannot be changed on this system (is it a virtual machine?)";
    }
    return Files.isWritable(file)
        ? null
        : "this user may not write to " + file + "; ask an administrator for permission";
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.US_ASCII).strip();
  }

  private static void write(Path file, String value) throws IOException {
    Files.writeString(
        file,
        value,
        StandardCharsets.US_ASCII,
        StandardOpenOption.WRITE,
        StandardOpenOption.TRUNCATE_EXISTING);
  }
}
