package org.fmi.core.p2p;

import static org.fmi.wire.FrameLayout.LONG;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The layout of what a checkpoint holds of the messages that cross its line; longs, little endian,
 * the data of each message rounded up to 8 bytes.
 *
 * <pre>
 *   | ranks | determinants | messages |
 *   | early, by rank | not to be sent, by rank |
 *   | determinants |
 *   | context, source | tag | length | data ... |  for each message, in the order announced
 * </pre>
 */
public final class LineImage {
  private static final long HEADER = 3L * Long.BYTES;
  private static final long MESSAGE_HEADER = 3L * Long.BYTES;

  private final MemorySegment memory;

  /** The image that lies in {@code memory}. */
  public LineImage(MemorySegment memory) {
    this.memory = memory;
  }

  /** The size of an image, in bytes. */
  public static long bytes(LineMessages messages, long[] determinants) {
    long bytes = HEADER + Long.BYTES * (2L * messages.earlyThere().length + determinants.length);
    for (LineMessages.Kept m : messages.kept()) {
      bytes += MESSAGE_HEADER + roundUp(m.length);
    }
    return bytes;
  }

  /**
   * Writes it.
   *
   * @param unneeded by rank, how many of the next messages to it are not to be sent
   */
  public void write(LineMessages messages, long[] unneeded, long[] determinants) {
    List<LineMessages.Kept> kept = messages.kept();
    memory.set(LONG, 0, unneeded.length);
    memory.set(LONG, 8, determinants.length);
    memory.set(LONG, 16, kept.size());
    long at = put(HEADER, messages.earlyThere());
    at = put(at, unneeded);
    at = put(at, determinants);
    for (LineMessages.Kept m : kept) {
      memory.set(LONG, at, (long) m.context << Integer.SIZE | m.source);
      memory.set(LONG, at + 8, m.tag);
      memory.set(LONG, at + 16, m.length);
      MemorySegment.copy(m.data(), 0, memory, at + MESSAGE_HEADER, m.length);
      at += MESSAGE_HEADER + roundUp(m.length);
    }
  }

  private long put(long from, long[] values) {
    long at = from;
    for (long value : values) {
      memory.set(LONG, at, value);
      at += Long.BYTES;
    }
    return at;
  }

  private long[] longs(long at, int count) {
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = memory.get(LONG, at + (long) i * Long.BYTES);
    }
    return values;
  }

  private int ranks() {
    return (int) memory.get(LONG, 0);
  }

  /** By rank, how many messages of it the state has already that it sends behind the line. */
  public long[] early() {
    return longs(HEADER, ranks());
  }

  /** By rank, how many of the next messages to it are not to be sent. */
  public long[] unneeded() {
    return longs(HEADER + (long) Long.BYTES * ranks(), ranks());
  }

  private long determinantsAt() {
    return HEADER + 2L * Long.BYTES * ranks();
  }

  /** What was decided behind the line. */
  public long[] determinants() {
    return longs(determinantsAt(), (int) memory.get(LONG, 8));
  }

  /** Adds the messages to a queue. */
  void read(UnexpectedQueue queue, MessagePool pool) {
    long at = determinantsAt() + Long.BYTES * memory.get(LONG, 8);
    long count = memory.get(LONG, 16);
    for (long i = 0; i < count; i++) {
      long from = memory.get(LONG, at);
      long length = memory.get(LONG, at + 16);
      UnexpectedMessage m = pool.take(length);
      m.describe(
          UnexpectedMessage.Place.HELD,
          (int) (from >> Integer.SIZE),
          (int) from,
          memory.get(LONG, at + 8),
          length);
      MemorySegment.copy(memory, at + MESSAGE_HEADER, m.data, 0, length);
      queue.add(m);
      at += MESSAGE_HEADER + roundUp(length);
    }
  }

  private static long roundUp(long bytes) {
    return (bytes + 7) & ~7L;
  }
}
