package org.fmi.node;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Memory still available for files in shared memory. Such files are charged to the process that
 * wrote them, and where a container or batch job has less memory than the machine, the kernel kills
 * the process instead of failing the write.
 */
public final class FreeMemory {
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

  private FreeMemory() {}

  /**
   * Bytes that the file system can provide and, if it is in memory, the machine and this process's
   * control groups. Files on a disk occupy memory only while nothing else needs it.
   */
  public static long bytes(Path directory) throws IOException {
    FileStore store = Files.getFileStore(directory);
    if (!IN_MEMORY.contains(store.type())) {
      return store.getUsableSpace();
    }
    return Math.min(store.getUsableSpace(), ofProcesses());
  }

  /** Bytes that the machine and this process's control groups can give to processes. */
  static long ofProcesses() throws IOException {
    long free = ofGroups(ControlGroup.lines(ControlGroup.OWN), ControlGroup.MOUNT);
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      if (line.startsWith("MemAvailable:")) {
        String kibibytes = line.replaceAll("[^0-9]", "");
        return Math.min(free, Long.parseLong(kibibytes) << 10);
      }
    }
    return free;
  }

  /** The memory left in the groups; {@link Long#MAX_VALUE} if there is no limit. */
  static long ofGroups(List<String> groups, Path mount) throws IOException {
    long free = Long.MAX_VALUE;
    for (String group : groups) {
      String[] fields = group.split(":", 3);
      if (fields.length < 3) {
        continue;
      }
      if (fields[1].isEmpty()) {
        for (Path directory : ControlGroup.upwards(mount, fields[2])) {
          free = Math.min(free, ofGroup(directory, "memory.max", "memory.current", ""));
        }
      } else if (Arrays.asList(fields[1].split(",", -1)).contains("memory")) {
        for (Path directory : ControlGroup.upwards(mount.resolve("memory"), fields[2])) {
          free =
              Math.min(
                  free,
                  ofGroup(directory, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"));
        }
      }
    }
    return free;
  }

  private static long ofGroup(Path group, String limit, String usage, String prefix)
      throws IOException {
    long most = number(group.resolve(limit));
    long used = number(group.resolve(usage));
    if (most == Long.MAX_VALUE || used == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    // The page cache of files on disk counts as used, but is reclaimed when memory is needed.
    for (String line : ControlGroup.lines(group.resolve("memory.stat"))) {
      String[] words = line.split(" ", -1);
      if (words[0].equals(prefix + "inactive_file") || words[0].equals(prefix + "active_file")) {
        used -= Long.parseLong(words[1]);
      }
    }
    return Math.max(0, most - Math.max(0, used));
  }

  /** The number in a file; {@link Long#MAX_VALUE} if there is no file, or no limit in it. */
  private static long number(Path file) throws IOException {
    for (String line : ControlGroup.lines(file)) {
      return line.equals("max") ? Long.MAX_VALUE : Long.parseLong(line.strip());
    }
    return Long.MAX_VALUE;
  }
}
