package org.fmi.core.rollback;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory that Java allocates outside of its heap: direct buffers of the program, and message logs.
 */
final class DirectMemory {
  private DirectMemory() {}

  /** Number of bytes that may still be allocated. */
  static long left() {
    HotSpotDiagnosticMXBean machine =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    long given = Long.parseLong(machine.getVMOption("MaxDirectMemorySize").getValue());
    long most = given > 0 ? given : Runtime.getRuntime().maxMemory();
    long used =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(pool -> pool.getName().equals("direct"))
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    return Math.max(0, most - used);
  }
}
