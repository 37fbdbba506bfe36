package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.fmi.control.Counter;

/** Knows how much memory this process has, by the word of the system (proc_pid_status(5)). */
final class ProcessMemory {
  private static final Path STATUS = Path.of("/proc/self/status");

  private ProcessMemory() {}

  /** What the system says now; empty if it does not. */
  static Map<Counter, Long> counters() {
    try {
      return parse(Files.readAllLines(STATUS));
    } catch (IOException e) {
      return Map.of(); // nothing depends on it
    }
  }

  static Map<Counter, Long> parse(List<String> lines) {
    Map<Counter, Long> counters = new EnumMap<>(Counter.class);
    for (String line : lines) {
      if (line.startsWith("VmRSS:")) {
        counters.put(Counter.MEMORY_BYTES, bytes(line));
      } else if (line.startsWith("VmHWM:")) {
        counters.put(Counter.PEAK_MEMORY_BYTES, bytes(line));
      }
    }
    return counters;
  }

  /** As in "VmRSS: 5216 kB". */
  private static long bytes(String line) {
    return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
  }
}
