package org.fmi.run.daemon;

import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much of a node's memory Slurm grants to a job. Where it enforces that by control groups, the
 * system says so too.
 */
final class GrantedMemory {
  private static final long MIB = 1 << 20;

  private GrantedMemory() {}

  /**
   * The part of the memory that is granted, from 0 to 1.
   *
   * @param environment of a process that Slurm has started
   * @param total bytes that this process finds
   */
  static double share(Map<String, String> environment, LongSupplier total) {
    long granted = number(environment.get("SLURM_MEM_PER_NODE"));
    if (granted == 0) {
      granted =
          number(environment.get("SLURM_MEM_PER_CPU"))
              * number(environment.get("SLURM_CPUS_ON_NODE"));
    }
    return granted == 0 ? 1 : Math.min(1, (double) granted * MIB / total.getAsLong());
  }

  /** A count; 0 if nothing, or no limit, is said. */
  private static long number(@Nullable String text) {
    return text != null && text.matches("\\d{1,12}") ? Long.parseLong(text) : 0;
  }
}
