package org.fmi.core.rollback;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** What Java allocates outside of its heap: direct buffers of the program, and logs of messages. */
final class DirectMemory {
  private DirectMemory() {}

  /** How much of it may still be allocated, in bytes. */
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
