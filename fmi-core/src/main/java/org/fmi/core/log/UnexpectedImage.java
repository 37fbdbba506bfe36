package org.fmi.core.log;

import static org.fmi.wire.FrameLayout.INT;
import static org.fmi.wire.FrameLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.fmi.core.p2p.Contexts;
import org.fmi.core.p2p.Mailbox;
import org.fmi.core.p2p.UnexpectedMessage;

/**
 * Layout of the program's unexpected messages in a checkpoint: their number (long), then for each,
 * in the order of arrival, context, source (ints), tag, length (longs) and the data, little endian.
 */
public final class UnexpectedImage {
  private static final int HEADER_BYTES = 24;

  private UnexpectedImage() {}

  /** Size of the image that {@link #write} writes, in bytes. */
  public static long bytes(Mailbox mailbox) {
    long[] bytes = {Long.BYTES};
    forEach(mailbox, m -> bytes[0] += HEADER_BYTES + m.length());
    return bytes[0];
  }

  private static void forEach(Mailbox mailbox, Consumer<UnexpectedMessage> each) {
    mailbox.forEach(
        m -> {
          if (Contexts.isProgram(m.context())) {
            each.accept(m);
          }
        });
  }

  /**
   * Saves the program's unexpected messages, which stay in the mailbox too.
   *
   * @throws IllegalStateException if one of them is still at its sender
   */
  public static void write(Mailbox mailbox, MemorySegment image) {
    long[] count = {0};
    long[] at = {Long.BYTES};
    forEach(
        mailbox,
        m -> {
          write(m, image, at[0]);
          at[0] += HEADER_BYTES + m.length();
          count[0]++;
        });
    image.set(LONG, 0, count[0]);
  }

  private static void write(UnexpectedMessage m, MemorySegment image, long at) {
    if (!m.isHere()) {
      throw new IllegalStateException("a message of " + m.describe() + " is still at its sender");
    }
    image.set(INT, at, m.context());
    image.set(INT, at + 4, m.source());
    image.set(LONG, at + 8, m.tag());
    image.set(LONG, at + 16, m.length());
    MemorySegment.copy(m.data(), 0, image, at + HEADER_BYTES, m.length());
  }

  /**
   * Restores saved messages ahead of all that have arrived since. No receive is posted by now.
   *
   * @param crossing messages that cross the checkpoint's recovery line
   */
  public static void read(Mailbox mailbox, MemorySegment image, InTransitImage crossing) {
    mailbox.restore(
        restored -> {
          read(image, restored);
          crossing.read(restored);
        });
  }

  private static void read(MemorySegment image, Mailbox.Restored restored) {
    if (image.byteSize() == 0) {
      return; // they are in the image of in-transit messages
    }
    long count = image.get(LONG, 0);
    long at = Long.BYTES;
    for (long i = 0; i < count; i++) {
      long length = image.get(LONG, at + 16);
      restored.message(
          image.get(INT, at),
          image.get(INT, at + 4),
          image.get(LONG, at + 8),
          length,
          image,
          at + HEADER_BYTES);
      at += HEADER_BYTES + length;
    }
  }
}
