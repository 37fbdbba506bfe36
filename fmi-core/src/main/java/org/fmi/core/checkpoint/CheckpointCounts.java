package org.fmi.core.checkpoint;

import java.util.Map;
import org.fmi.control.Counter;

/**
 * Counters of the checkpoints that this rank has committed. One thread writes, any thread may read.
 */
final class CheckpointCounts {
  private long taken;
  private long bytes;
  private long codedBytes;
  private long nanos;

  /** Counts a checkpoint, with the size of its image, and of the part whose code was computed. */
  void add(long imageBytes, long coded, long tookNanos) {
    taken++;
    bytes += imageBytes;
    codedBytes += coded;
    nanos += tookNanos;
  }

  /** Adds the counters to a map. Any thread may call it; the values may be slightly stale. */
  void count(Map<Counter, Long> counters) {
    counters.put(Counter.CHECKPOINTS, taken);
    counters.put(Counter.CHECKPOINT_BYTES, bytes);
    counters.put(Counter.CHECKPOINT_CODED_BYTES, codedBytes);
    counters.put(Counter.CHECKPOINT_NANOS, nanos);
  }
}
