package org.fmi.core.p2p;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A pool of unexpected messages with memory for their data. Data of up to 64 KiB comes in
 * power-of-two size classes, of which up to 4 MiB are pooled.
 */
public final class MessagePool {
  private static final int SMALLEST = 6;
  private static final int LARGEST = 16;
  private static final long KEPT_BYTES = 4 << 20;

  /** Free messages by size class; the first class has no memory. */
  private final @Nullable UnexpectedMessage[] free = new UnexpectedMessage[LARGEST - SMALLEST + 2];

  private long kept;

  /** A message with room for {@code bytes}. */
  UnexpectedMessage take(long bytes) {
    if (bytes > 1 << LARGEST) {
      return new UnexpectedMessage(-1, memory(bytes));
    }
    int sizeClass = bytes == 0 ? 0 : Math.max(SMALLEST, log2(bytes)) - SMALLEST + 1;
    UnexpectedMessage m = free[sizeClass];
    if (m == null) {
      return new UnexpectedMessage(
          sizeClass,
          sizeClass == 0
              ? UnexpectedMessage.NO_DATA
              : MemorySegment.ofArray(new byte[1 << (sizeClass + SMALLEST - 1)]));
    }
    free[sizeClass] = m.next;
    m.next = null;
    kept -= cost(m);
    assert kept >= 0 : "more memory was handed out than kept";
    return m;
  }

  /** Takes back a message that is in no queue. */
  void give(UnexpectedMessage m) {
    m.charge = 0;
    m.buffered = 0;
    m.sender = null;
    m.fetching = false;
    m.exposed = false;
    if (m.sizeClass < 0 || kept > KEPT_BYTES) {
      return;
    }
    if (m.sizeClass == 0) {
      m.data = UnexpectedMessage.NO_DATA;
    }
    kept += cost(m);
    m.next = free[m.sizeClass];
    free[m.sizeClass] = m;
  }

  /** Allocates memory for a message of any length: on the heap if an array can hold it. */
  public static MemorySegment memory(long bytes) {
    return bytes <= 1 << 30
        ? MemorySegment.ofArray(new byte[(int) bytes])
        : Arena.ofAuto().allocate(bytes, 64);
  }

  private static long cost(UnexpectedMessage m) {
    return FlowLimits.MESSAGE_COST + m.data.byteSize();
  }

  private static int log2(long bytes) {
    return 64 - Long.numberOfLeadingZeros(bytes - 1);
  }
}
