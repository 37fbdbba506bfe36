package org.fmi.run.rank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.fmi.control.Counter;

/** What this process has of memory, and what its node has left, at one moment. */
final class MemoryLevels {
  private MemoryLevels() {}

  /**
   * Looks at both.
   *
   * @param directory where the node's memory lies
   */
  static Map<Counter, Long> now(Path directory) {
    Map<Counter, Long> levels = new EnumMap<>(Counter.class);
    Runtime runtime = Runtime.getRuntime();
    levels.put(Counter.HEAP_USED_BYTES, runtime.totalMemory() - runtime.freeMemory());
    levels.put(Counter.HEAP_MAX_BYTES, runtime.maxMemory());
    try {
      levels.put(Counter.NODE_MEMORY_FREE_BYTES, Files.getFileStore(directory).getUsableSpace());
    } catch (IOException e) {
      // The node is being cleared away: nobody looks any more.
    }
    return levels;
  }
}
