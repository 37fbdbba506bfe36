package org.fmi.core.state;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.CheckpointStore;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * Writes changed parts into a checkpoint image, and reports the unchanged parts to the store.
 *
 * <p>Comparing equal data takes about as long as copying it; changed data mostly differs in its
 * first bytes. Where everything has changed a little, comparing only adds to the cost: the writer
 * then copies without comparing for a while. Checksums would have to be computed over all data, and
 * equal ones would not prove equality.
 */
public final class ImageWriter {
  /** Number of bytes compared at a time; blocks end where parts do. */
  private static final int PART = 16 << 10;

  /** Number of bytes compared without saving a copy, after which ... */
  private static final int PATIENCE = 1 << 20;

  /** ... this many are copied without comparing. */
  private static final int PAUSE = 8 << 20;

  private final MemorySegment image;

  /** Null if everything is written. */
  private final @Nullable CheckpointStore store;

  /** A writer that writes everything. */
  public ImageWriter(MemorySegment image) {
    this.image = image;
    this.store = null;
  }

  /**
   * A writer of the image that was begun last.
   *
   * @param image the whole image
   */
  public ImageWriter(MemorySegment image, CheckpointStore store) {
    this.image = image;
    this.store = store.holdsCoded() ? store : null;
  }

  /** Writes a number. Writes must be in ascending order. */
  public void put(long at, long value) {
    CheckpointStore reportTo = store;
    if (reportTo != null && image.get(FrameLayout.LONG, at) == value) {
      reportTo.unchanged(at, at + Long.BYTES);
    } else {
      image.set(FrameLayout.LONG, at, value);
    }
  }

  /** Writes an array or a segment. Writes must be in ascending order. */
  public void put(Object from, long at, long bytes) {
    CheckpointStore reportTo = store;
    MemorySegment view = reportTo == null || bytes == 0 ? null : Memory.view(from);
    if (reportTo == null || view == null) {
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
        reportTo.unchanged(at + done, at + end);
        wasted = 0;
      } else {
        Memory.toSegment(view, done, image, at + done, end - done);
        wasted = pauses ? 0 : wasted + equal;
      }
    }
  }

  /** Leaves a part unwritten. */
  public void skip(long at, long bytes) {
    if (store != null && bytes > 0) {
      store.unchanged(at, at + bytes);
    }
  }
}
