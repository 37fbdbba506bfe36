package org.fmi.spi;

import org.jspecify.annotations.Nullable;

/** Says where the payload of a frame is put as it arrives. Mutable and reused. */
public final class Landing {
  /** An array of primitives or a {@link java.lang.foreign.MemorySegment}. */
  public @Nullable Object base;

  /** Where the payload begins in {@link #base}, in bytes. */
  public long offset;
}
