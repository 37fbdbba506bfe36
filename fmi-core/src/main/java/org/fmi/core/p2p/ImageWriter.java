package org.fmi.core.p2p;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.CheckpointStore;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Writes into a checkpoint image what is not there already, and tells the store of the rest.
 *
 * <p>To compare takes no longer than to copy: of a part that has changed mostly the first bytes
 * say so, and what was compared to its end is in the core's cache when it is copied. Checksums
 * would have to be computed of all, and equal ones would not prove that nothing has changed.
 */
public final class ImageWriter {
  /** Bytes that are compared at a time; both sides stay in a core's cache. Blocks end where parts do. */
  private static final int PART = 16 << 10;

  private final MemorySegment image;

  /** Null if all is written. */
  private final @Nullable CheckpointStore store;

  /** Writes all. */
  public ImageWriter(MemorySegment image) {
    this.image = image;
    this.store = null;
  }

  /**
   * Writes the image that was begun last.
   *
   * @param image all of it
   */
  public ImageWriter(MemorySegment image, CheckpointStore store) {
    this.image = image;
    this.store = store.holdsCoded() ? store : null;
  }

  /** Writes a number. What is written next lies behind it. */
  public void put(long at, long value) {
    CheckpointStore told = store;
    if (told != null && image.get(FrameLayout.LONG, at) == value) {
      told.unchanged(at, at + Long.BYTES);
    } else {
      image.set(FrameLayout.LONG, at, value);
    }
  }

  /** Writes an array or a segment. What is written next lies behind it. */
  public void put(Object from, long at, long bytes) {
    CheckpointStore told = store;
    MemorySegment view = told == null || bytes == 0 ? null : Memory.view(from);
    if (told == null || view == null) {
      if (bytes > 0) {
        Memory.toSegment(from, 0, image, at, bytes);
      }
      return;
    }
    long end;
    for (long done = 0; done < bytes; done = end) {
      end = Math.min(done + PART - (at + done) % PART, bytes);
      if (MemorySegment.mismatch(view, done, end, image, at + done, at + end) < 0) {
        told.unchanged(at + done, at + end);
      } else {
        MemorySegment.copy(view, done, image, at + done, end - done);
      }
    }
  }

  /** Nothing is written here. */
  public void skip(long at, long bytes) {
    if (store != null && bytes > 0) {
      store.unchanged(at, at + bytes);
    }
  }
}
