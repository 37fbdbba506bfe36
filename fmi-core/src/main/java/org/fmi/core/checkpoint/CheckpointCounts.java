package org.fmi.core.checkpoint;

import java.util.Map;
import org.fmi.control.Counter;

/** Counts the checkpoints that this rank has committed. Written by one thread, read by others. */
final class CheckpointCounts {
  private long taken;
  private long bytes;
  private long codedBytes;
  private long nanos;

  /** One more, with an image of so many bytes, of some of which the code was computed. */
  void add(long imageBytes, long coded, long tookNanos) {
    taken++;
    bytes += imageBytes;
    codedBytes += coded;
    nanos += tookNanos;
  }

  /** Adds what was counted. Any thread: the numbers may be a little old. */
  void count(Map<Counter, Long> counters) {
    counters.put(Counter.CHECKPOINTS, taken);
    counters.put(Counter.CHECKPOINT_BYTES, bytes);
    counters.put(Counter.CHECKPOINT_CODED_BYTES, codedBytes);
    counters.put(Counter.CHECKPOINT_NANOS, nanos);
  }
}
