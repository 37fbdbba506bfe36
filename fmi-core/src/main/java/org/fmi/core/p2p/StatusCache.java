package org.fmi.core.p2p;

import org.fmi.Status;
import org.jspecify.annotations.Nullable;

/** Recently returned statuses, so that a repetitive program allocates none. */
public final class StatusCache {
  /** A power of two. */
  private static final int SIZE = 64;

  /** By a hash of their content. */
  private final @Nullable Status[] statuses = new Status[SIZE];

  /** A status with this content, a cached one if possible. */
  public Status of(int source, int tag, long bytes) {
    int slot = (source * 31 + tag * 7 + (int) (bytes >>> 3)) & (SIZE - 1);
    Status s = statuses[slot];
    if (s == null || s.source() != source || s.tag() != tag || s.bytes() != bytes) {
      s = new Status(source, tag, bytes);
      statuses[slot] = s;
    }
    return s;
  }
}
