package org.fmi.core.state;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.CheckpointStore;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Writes into a checkpoint image what is not there already, and tells the store of the rest.
 *
 * <p>To compare what is the same takes about as long as to copy it; of what has changed mostly the
 * first bytes say so. Where a little has changed everywhere both would be done: that is given up
 * for a while. Checksums would have to be computed of all, and equal ones would not prove that
 * nothing has changed.
 */
public final class ImageWriter {
  /** Bytes that are compared at a time: blocks end where parts do. */
  private static final int PART = 16 << 10;

  /** After this many bytes that were compared without saving a copy, ... */
  private static final int PATIENCE = 1 << 20;

  /** ... so many are copied at once. */
  private static final int PAUSE = 8 << 20;

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
    long wasted = 0;
    long end;
    for (long done = 0; done < bytes; done = end) {
      boolean pauses = wasted > PATIENCE;
      end = Math.min(done + (pauses ? PAUSE : PART) - (at + done) % PART, bytes);
      long equal = pauses ? 0 : MemorySegment.mismatch(view, done, end, image, at + done, at + end);
      if (equal < 0) {
        told.unchanged(at + done, at + end);
        wasted = 0;
      } else {
        Memory.toSegment(view, done, image, at + done, end - done);
        wasted = pauses ? 0 : wasted + equal;
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
