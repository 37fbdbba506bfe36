package org.fmi.spi;

import org.jspecify.annotations.Nullable;

/**
 * The destination of a frame's payload as it arrives. Mutable and reused. Until the payload is
 * there, the transport reads it before each part that arrives and advances the offset, and whoever
 * has given the destination may change both, on the transport's thread.
 */
public final class Landing {
  /** An array of primitives or a {@link java.lang.foreign.MemorySegment}. */
  public @Nullable Object base;

  /** The payload's offset in {@link #base}, in bytes. */
  public long offset;
}
