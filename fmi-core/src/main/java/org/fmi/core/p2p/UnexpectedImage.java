package org.fmi.core.p2p;

import static org.fmi.wire.FrameLayout.INT;
import static org.fmi.wire.FrameLayout.LONG;

import java.lang.foreign.MemorySegment;

/**
 * The layout in which the program's unexpected messages are saved with a checkpoint: their number
 * (long), then for each, in the order of arrival, context, source (ints), tag, length (longs) and
 * the data, little endian.
 */
final class UnexpectedImage {
  private static final int HEADER_BYTES = 24;

  private UnexpectedImage() {}

  static long bytes(UnexpectedQueue queue) {
    long bytes = Long.BYTES;
    for (UnexpectedMessage m = queue.oldest(); m != null; m = m.next) {
      if (Contexts.isProgram(m.context)) {
        bytes += HEADER_BYTES + m.length;
      }
    }
    return bytes;
  }

  /**
   * Writes the program's messages.
   *
   * @throws IllegalStateException if one of them is still at its sender
   */
  static void write(UnexpectedQueue queue, MemorySegment image) {
    long count = 0;
    long at = Long.BYTES;
    for (UnexpectedMessage m = queue.oldest(); m != null; m = m.next) {
      if (Contexts.isProgram(m.context)) {
        if (m.place != UnexpectedMessage.Place.HELD) {
          throw new IllegalStateException(
              "a message of rank "
                  + m.source
                  + " "
                  + CollectiveCall.belonging(m.context, m.tag)
                  + " is still at its sender");
        }
        count++;
        image.set(INT, at, m.context);
        image.set(INT, at + 4, m.source);
        image.set(LONG, at + 8, m.tag);
        image.set(LONG, at + 16, m.length);
        MemorySegment.copy(m.data, 0, image, at + HEADER_BYTES, m.length);
        at += HEADER_BYTES + m.length;
      }
    }
    image.set(LONG, 0, count);
  }

  /** Adds the messages of an image to a queue. */
  static void read(MemorySegment image, UnexpectedQueue queue, MessagePool pool) {
    if (image.byteSize() == 0) {
      return; // they are elsewhere
    }
    long count = image.get(LONG, 0);
    long at = Long.BYTES;
    for (long i = 0; i < count; i++) {
      long length = image.get(LONG, at + 16);
      UnexpectedMessage m = pool.take(length);
      m.describe(
          UnexpectedMessage.Place.HELD,
          image.get(INT, at),
          image.get(INT, at + 4),
          image.get(LONG, at + 8),
          length);
      MemorySegment.copy(image, at + HEADER_BYTES, m.data, 0, length);
      queue.add(m);
      at += HEADER_BYTES + length;
    }
  }
}
