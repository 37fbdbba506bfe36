package org.fmi.node;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * How much memory files in shared memory may still take. They count for whoever wrote them, and
 * where a container or a batch job has less than the machine the kernel kills rather than refuses.
 */
public final class FreeMemory {
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "hugetlbfs");

  private FreeMemory() {}

  /**
   * Bytes that the file system can give and, if it is in memory, the machine and this process's
   * control groups. What lies on a disk is in memory only as long as nothing else needs that.
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

  /** {@link Long#MAX_VALUE} if there is no limit. */
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
    // What is cached of files on disks counts as used, and is given up for something better.
    for (String line : ControlGroup.lines(group.resolve("memory.stat"))) {
      String[] words = line.split(" ", -1);
      if (words[0].equals(prefix + "inactive_file") || words[0].equals(prefix + "active_file")) {
        used -= Long.parseLong(words[1]);
      }
    }
    return Math.max(0, most - Math.max(0, used));
  }

  /** {@link Long#MAX_VALUE} if there is no such file, or no limit in it. */
  private static long number(Path file) throws IOException {
    for (String line : ControlGroup.lines(file)) {
      return line.equals("max") ? Long.MAX_VALUE : Long.parseLong(line.strip());
    }
    return Long.MAX_VALUE;
  }
}
