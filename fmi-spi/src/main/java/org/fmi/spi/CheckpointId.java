package org.fmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * Names a checkpoint; the same on all ranks.
 *
 * @param version grows with every checkpoint of the job
 * @param loop number of the loop it belongs to, from 0
 * @param iteration the iteration to go on with
 * @param last whether it is the final one of its loop; such a checkpoint is kept until the job ends
 */
public record CheckpointId(long version, long loop, long iteration, boolean last) {
  /** Written out: each rank comes to it, and for a record's own the JVM makes classes then. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CheckpointId(long v, long l, long i, boolean isLast)
        && version == v
        && loop == l
        && iteration == i
        && last == isLast;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(31 * (31 * version + loop) + iteration);
  }
}
