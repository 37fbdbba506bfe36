package org.fmi.wire;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An outgoing frame: header fields and a reference to the payload in the caller's memory. Mutable
 * and reused, so that a send allocates nothing.
 */
public final class Frame {
  public byte kind;
  public int epoch;
  public int context;
  public long tag;
  public long sequence;
  public long length;
  public long loop;

  /** A primitive array or a {@link MemorySegment}; null if there is no payload. */
  public @Nullable Object base;

  /** The payload's offset in {@link #base}, in bytes. */
  public long baseOffset;

  /** The payload's length in bytes. */
  public int payload;

  /** Header and payload together. */
  public int bytes() {
    return FrameLayout.HEADER_BYTES + payload;
  }

  /** Writes header and payload to {@code dst} at {@code at}. */
  public void encode(MemorySegment dst, long at) {
    encodeHeader(dst, at);
    if (payload > 0 && base != null) {
      Memory.toSegment(base, baseOffset, dst, at + FrameLayout.HEADER_BYTES, payload);
    }
  }

  /** Writes the header to {@code dst} at {@code at}. */
  public void encodeHeader(MemorySegment dst, long at) {
    dst.set(FrameLayout.INT, at + FrameLayout.KIND, kind & 0xff);
    dst.set(FrameLayout.INT, at + FrameLayout.EPOCH, epoch);
    dst.set(FrameLayout.INT, at + FrameLayout.CONTEXT, context);
    dst.set(FrameLayout.INT, at + FrameLayout.PAYLOAD, payload);
    dst.set(FrameLayout.LONG, at + FrameLayout.TAG, tag);
    dst.set(FrameLayout.LONG, at + FrameLayout.SEQUENCE, sequence);
    dst.set(FrameLayout.LONG, at + FrameLayout.LENGTH, length);
    dst.set(FrameLayout.LONG, at + FrameLayout.LOOP, loop);
  }
}
