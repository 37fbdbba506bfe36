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
 * Limits how fast cores run, and gives them back what they had: {@code scaling_max_freq} of Linux.
 *
 * <p>What they had is written to a file before it is changed, one line for each: the system's file,
 * and its value. Whoever clears away behind a process that was killed {@linkplain #restore
 * restores} that. A core that is at the limit already is left alone, as somebody else has put it
 * there.
 *
 * <p>The threads of one core run at the same speed, and so do all cores for which the system keeps
 * one limit. They are slowed down together or not at all.
 */
public final class CpuFrequencies {
  /** Where Linux has the cores. */
  public static final Path CPUS = Path.of("/sys/devices/system/cpu");

  /** The name of the file in a node's directory. */
  private static final String SAVED = "frequencies";

  private static final String MOST = "cpufreq/scaling_max_freq";
  private static final String LEAST_POSSIBLE = "cpufreq/cpuinfo_min_freq";

  /** Which threads are of the same core, and for which ones that run the same limit holds. */
  private static final List<String> SHARING =
      List.of("topology/thread_siblings_list", "cpufreq/affected_cpus");

  private static final int KILOHERTZ_PER_MEGAHERTZ = 1000;

  private final Path cpus;
  private final Path directory;
  private final Path saved;

  /** What was changed, and its value before. */
  private final Map<Path, String> before = new TreeMap<>();

  /**
   * @param cpus {@link #CPUS}, or a copy of it
   * @param directory of the node, which this process may write to alone
   */
  public CpuFrequencies(Path cpus, Path directory) {
    this.cpus = cpus;
    this.directory = directory;
    this.saved = directory.resolve(SAVED);
  }

  /**
   * Only these cores run slowly from now on, of those of this machine. One that shares its
   * frequency with another one runs slowly only if that one is named too.
   *
   * @param cores the numbers of their hardware threads
   * @param megahertz the most that they run at, if they can run that slowly
   * @throws IOException if the system does not allow it; then no core runs slowly
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

  /** The hardware threads that run as fast as this one, as far as the system tells. */
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
   * Restores what a process had changed that is gone, as far as the system allows it.
   *
   * @param directory of a node; only this user can have written to it
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
        // One that could not be slowed down cannot be written now either.
        if (!read(file).equals(value)) {
          write(file, value);
        }
      } catch (IOException e) {
        System.err.println("fmi: a core stays slow, write " + line + " yourself: " + e);
      }
    }
    Files.delete(saved);
  }

  /**
   * Why the frequency of a core cannot be limited; null if it can.
   *
   * @param cpus {@link #CPUS}, or a copy of it
   */
  public static @Nullable String problem(Path cpus, int core) {
    Path directory = cpus.resolve("cpu" + core);
    Path file = directory.resolve(MOST);
    if (!Files.exists(file) || !Files.exists(directory.resolve(LEAST_POSSIBLE))) {
      return "the system does not let the frequency of its cores be changed, as in virtual"
          + " machines";
    }
    return Files.isWritable(file)
        ? null
        : "this user may not write to " + file + "; an administrator can allow it";
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
