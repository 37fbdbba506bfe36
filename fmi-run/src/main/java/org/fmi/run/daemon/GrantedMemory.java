package org.fmi.run.daemon;

import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of a node's memory that Slurm grants to a job. Where Slurm enforces it with control
 * groups, the system reports it as well.
 */
final class GrantedMemory {
  private static final long MIB = 1 << 20;

  private GrantedMemory() {}

  /**
   * Returns the granted part of the memory, from 0 to 1.
   *
   * @param environment environment of a process that Slurm has started
   * @param total total bytes visible to this process
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

  /** Parses a count; 0 if there is none, or no limit. */
  private static long number(@Nullable String text) {
    return text != null && text.matches("\\d{1,12}") ? Long.parseLong(text) : 0;
  }
}
