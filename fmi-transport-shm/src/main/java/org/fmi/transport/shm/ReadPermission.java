package org.fmi.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Lets the ranks of this node read each other's memory, on machines that forbid this to siblings.
 *
 * <p>The kernel's Yama module may be set so that a process can read only its descendants. A rank
 * then permits one more reader: the daemon that has started it, which stands for all its
 * descendants, the ranks of this node. No other process gets access.
 */
final class ReadPermission {
  static final Path YAMA = Path.of("/proc/sys/kernel/yama/ptrace_scope");

  private static final String DESCENDANTS = "1";

  private ReadPermission() {}

  /** Gives the permission. Called once, before the first ticket. */
  static void give() {
    if (scope().equals(DESCENDANTS)) {
      ProcessHandle.current().parent().ifPresent(daemon -> ProcessMemory.permit(daemon.pid()));
    }
  }

  /**
   * The reason why ranks of this machine cannot read each other's memory; null if none is known.
   */
  static @Nullable String refusal() {
    String scope = scope();
    if (!scope.isEmpty() && !scope.equals("0") && !scope.equals(DESCENDANTS)) {
      return YAMA + " is " + scope + ": set it to 0 or 1";
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment word = arena.allocate(Long.BYTES, Long.BYTES);
      MemorySegment vector = arena.allocate(ProcessMemory.VECTOR_BYTES, Long.BYTES);
      vector.set(ValueLayout.JAVA_LONG, 0, word.address());
      vector.set(ValueLayout.JAVA_LONG, Long.BYTES, Long.BYTES);
      int self = (int) ProcessHandle.current().pid();
      return ProcessMemory.read(self, vector, vector, word) == Long.BYTES
          ? null
          : "the kernel refuses process_vm_readv, perhaps by a container's seccomp profile";
    }
  }

  /** Yama's setting; empty if the kernel has none. */
  static String scope() {
    try {
      return Files.readString(YAMA).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
