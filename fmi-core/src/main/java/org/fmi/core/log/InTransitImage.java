package org.fmi.core.log;

import static org.fmi.wire.FrameLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.fmi.core.p2p.Mailbox;

/**
 * The layout of a checkpoint's section on messages that cross its recovery line: longs, little
 * endian; the data of each message is rounded up to 8 bytes.
 *
 * <pre>
 *   | early | not to be sent | determinants | messages |   number of each
 *   | rank | length | sum |                                each early message, in the order announced
 *   | rank | length | sum |                                each message not to be sent, in order
 *   | determinants |
 *   | context, source | tag | length | data ... |          each message, in the order announced
 * </pre>
 */
public final class InTransitImage {
  private static final long HEADER = 4L * Long.BYTES;
  private static final long ENTRY = 3L * Long.BYTES;
  private static final long MESSAGE_HEADER = 3L * Long.BYTES;

  /** The image of a recovery line that no message crosses. */
  public static final InTransitImage EMPTY =
      new InTransitImage(MemorySegment.ofArray(new long[(int) HEADER / Long.BYTES]).asReadOnly());

  private final MemorySegment memory;

  /** The image that lies in {@code memory}. */
  public InTransitImage(MemorySegment memory) {
    this.memory = memory;
  }

  /**
   * The size of an image, in bytes.
   *
   * @param notToSend messages that are not to be sent
   */
  public static long bytes(
      InTransitMessages messages, List<InTransitMessages.Received> notToSend, long[] determinants) {
    int entries = messages.earlyAtLine().size() + notToSend.size();
    long bytes = HEADER + ENTRY * entries + (long) Long.BYTES * determinants.length;
    for (InTransitMessages.Saved m : messages.saved()) {
      bytes += MESSAGE_HEADER + roundUp(m.length);
    }
    return bytes;
  }

  /**
   * Writes the image.
   *
   * @param notToSend messages that are not to be sent
   */
  public void write(
      InTransitMessages messages, List<InTransitMessages.Received> notToSend, long[] determinants) {
    List<InTransitMessages.Saved> saved = messages.saved();
    List<InTransitMessages.Received> early = messages.earlyAtLine();
    memory.set(LONG, 0, early.size());
    memory.set(LONG, 8, notToSend.size());
    memory.set(LONG, 16, determinants.length);
    memory.set(LONG, 24, saved.size());
    long at = put(HEADER, early);
    at = put(at, notToSend);
    for (long value : determinants) {
      memory.set(LONG, at, value);
      at += Long.BYTES;
    }
    for (InTransitMessages.Saved m : saved) {
      memory.set(LONG, at, (long) m.context << Integer.SIZE | m.source);
      memory.set(LONG, at + 8, m.tag);
      memory.set(LONG, at + 16, m.length);
      MemorySegment.copy(m.data(), 0, memory, at + MESSAGE_HEADER, m.length);
      at += MESSAGE_HEADER + roundUp(m.length);
    }
  }

  private long put(long from, List<InTransitMessages.Received> messages) {
    long at = from;
    for (InTransitMessages.Received m : messages) {
      memory.set(LONG, at, m.rank());
      memory.set(LONG, at + 8, m.length());
      memory.set(LONG, at + 16, m.sum());
      at += ENTRY;
    }
    return at;
  }

  private List<InTransitMessages.Received> entries(long from, long count) {
    List<InTransitMessages.Received> messages = new ArrayList<>();
    for (long at = from; at < from + count * ENTRY; at += ENTRY) {
      messages.add(
          new InTransitMessages.Received(
              (int) memory.get(LONG, at), memory.get(LONG, at + 8), memory.get(LONG, at + 16)));
    }
    return messages;
  }

  /** Early messages, which the state has already, in the order announced. */
  public List<InTransitMessages.Received> early() {
    return entries(HEADER, memory.get(LONG, 0));
  }

  /** Messages that are not to be sent, to each rank in the order sent. */
  public List<InTransitMessages.Received> notToSend() {
    return entries(HEADER + ENTRY * memory.get(LONG, 0), memory.get(LONG, 8));
  }

  private long determinantsAt() {
    return HEADER + ENTRY * (memory.get(LONG, 0) + memory.get(LONG, 8));
  }

  /** The determinants since the recovery line. */
  public long[] determinants() {
    long[] values = new long[(int) memory.get(LONG, 16)];
    MemorySegment.copy(memory, LONG, determinantsAt(), values, 0, values.length);
    return values;
  }

  /** Passes the messages to the mailbox. */
  void read(Mailbox.Restored restored) {
    long at = determinantsAt() + Long.BYTES * memory.get(LONG, 16);
    long count = memory.get(LONG, 24);
    for (long i = 0; i < count; i++) {
      long from = memory.get(LONG, at);
      long length = memory.get(LONG, at + 16);
      restored.message(
          (int) (from >> Integer.SIZE),
          (int) from,
          memory.get(LONG, at + 8),
          length,
          memory,
          at + MESSAGE_HEADER);
      at += MESSAGE_HEADER + roundUp(length);
    }
  }

  private static long roundUp(long bytes) {
    return (bytes + 7) & ~7L;
  }
}
