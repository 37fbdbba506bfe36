package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.fmi.control.Counter;

/**
 * The memory of this process, as reported by the system (proc_pid_status(5)) and the JVM, at one
 * moment.
 */
final class MemoryLevels {
  private static final Path STATUS = Path.of("/proc/self/status");

  private MemoryLevels() {}

  /** Reads all levels; omits unknown ones. */
  static Map<Counter, Long> now() {
    Map<Counter, Long> levels = new EnumMap<>(Counter.class);
    Runtime runtime = Runtime.getRuntime();
    levels.put(Counter.HEAP_USED_BYTES, runtime.totalMemory() - runtime.freeMemory());
    levels.put(Counter.HEAP_MAX_BYTES, runtime.maxMemory());
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("VmRSS:")) {
          levels.put(Counter.MEMORY_BYTES, bytes(line));
        } else if (line.startsWith("VmHWM:")) {
          levels.put(Counter.PEAK_MEMORY_BYTES, bytes(line));
        }
      }
    } catch (IOException e) {
      // Nothing depends on it.
    }
    return levels;
  }

  /** Matches "VmRSS: 5216 kB". */
  private static long bytes(String line) {
    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
  }
}
