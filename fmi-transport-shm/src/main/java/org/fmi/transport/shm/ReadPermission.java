package org.fmi.transport.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Lets the ranks of this node read each other's memory, where the machine forbids it to siblings.
 *
 * <p>The kernel's Yama module lets a process read only those that it has started, if it is set so.
 * A rank then names one that may read it beside: the daemon that has started it, which stands for
 * all that it has started, the ranks of this node. Nobody else is let in.
 */
final class ReadPermission {
  static final Path YAMA = Path.of("/proc/sys/kernel/yama/ptrace_scope");

  private static final String DESCENDANTS = "1";

  private ReadPermission() {}

  /** Once, before the first ticket is given. */
  static void give() {
    if (scope().equals(DESCENDANTS)) {
      ProcessHandle.current().parent().ifPresent(daemon -> ProcessMemory.permit(daemon.pid()));
    }
  }

  /** What Yama is set to; empty if the kernel has none. */
  static String scope() {
    try {
      return Files.readString(YAMA).strip();
    } catch (IOException e) {
      return "";
    }
  }
}
