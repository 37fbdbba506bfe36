package org.fmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * The identity of a checkpoint, the same on all ranks.
 *
 * @param version grows with every checkpoint of the job
 * @param loop the number of its loop, from 0
 * @param iteration the iteration to continue with
 * @param last whether it is the final checkpoint of its loop, which is stored until the job ends
 */
public record CheckpointId(long version, long loop, long iteration, boolean last) {
  /**
   * Written out because every rank compares these, and a record's generated method makes the JVM
   * create classes.
   */
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
