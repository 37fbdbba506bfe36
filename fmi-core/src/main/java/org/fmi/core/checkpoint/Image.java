package org.fmi.core.checkpoint;

import java.lang.foreign.MemorySegment;
import org.fmi.core.log.InTransitImage;
import org.fmi.core.log.Recorder;
import org.fmi.core.state.ImageWriter;
import org.fmi.wire.FrameLayout;

/**
 * /** The layout of a rank's checkpoint: little endian, every part rounded up to 8 bytes.
 *
 * <pre>
 *  0       8          16         24         32       40       48         56     64
 *  | magic | interval | contexts | attached | record | unexp. | state    | size |
 *  +-------+----------+----------+----------+--------+--------+----------+------+-----------------------
 *  | record of calls outside of loops | messages arrived but not received | the loop's state |
 * </pre>
 *
 * {@code interval} is the number of iterations between checkpoints, {@code contexts} the state of
 * the context id allocator, {@code attached} the room for buffered sends in bytes; {@code record},
 * {@code unexp.} and {@code state} are lengths in bytes. {@code size} is the number of ranks, as a
 * check. With {@code --checkpoint overlapped} the iteration that this rank continues from follows
 * the state, and then an {@link InTransitImage}.
 */
public final class Image {
  public static final long HEADER = 64;
  private static final long MAGIC = 0x3230_474d_4949_4d46L;

  /** Place of the messages that no receive has matched. */
  enum Messages {
    /** Before the state: no message is under way. */
    BEFORE,
    /** After the state, together with messages that arrive later. */
    AFTER
  }

  private final MemorySegment memory;

  /** The image that lies in {@code memory}. */
  public Image(MemorySegment memory) {
    this.memory = memory;
  }

  public static long bytes(long record, long unexpected, long state) {
    return HEADER + roundUp(record) + roundUp(unexpected) + state;
  }

  public void writeHeader(
      ImageWriter to,
      long interval,
      long contexts,
      long attached,
      long record,
      long unexpected,
      long state,
      int size) {
    to.put(0, MAGIC);
    to.put(8, interval);
    to.put(16, contexts);
    to.put(24, attached);
    to.put(32, record);
    to.put(40, unexpected);
    to.put(48, state);
    to.put(56, size);
  }

  /** Writes the record of calls outside of loops, after the header. */
  static void writeRecord(ImageWriter to, Recorder recorder) {
    long bytes = recorder.bytes();
    recorder.writeTo(to, HEADER);
    to.skip(HEADER + bytes, roundUp(bytes) - bytes);
  }

  /**
   * Checks that this is an image of a job of this size.
   *
   * @throws IllegalStateException if it is not: a defect, since checksums have been verified before
   */
  public void check(int size) {
    if (memory.get(FrameLayout.LONG, 0) != MAGIC || memory.get(FrameLayout.LONG, 56) != size) {
      throw new IllegalStateException("not a checkpoint image of a job of " + size + " ranks");
    }
  }

  public long interval() {
    return memory.get(FrameLayout.LONG, 8);
  }

  public int contexts() {
    return (int) memory.get(FrameLayout.LONG, 16);
  }

  public long attached() {
    return memory.get(FrameLayout.LONG, 24);
  }

  public MemorySegment record() {
    return memory.asSlice(HEADER, memory.get(FrameLayout.LONG, 32));
  }

  public MemorySegment unexpected() {
    return memory.asSlice(
        HEADER + roundUp(memory.get(FrameLayout.LONG, 32)), memory.get(FrameLayout.LONG, 40));
  }

  /** Offset of the messages that had arrived, in the image. */
  public long unexpectedAt() {
    return HEADER + roundUp(memory.get(FrameLayout.LONG, 32));
  }

  /** Offset of the state in the image. */
  public long stateAt() {
    return HEADER
        + roundUp(memory.get(FrameLayout.LONG, 32))
        + roundUp(memory.get(FrameLayout.LONG, 40));
  }

  public long stateEnd() {
    return stateAt() + memory.get(FrameLayout.LONG, 48);
  }

  public MemorySegment memory() {
    return memory;
  }

  private static long roundUp(long bytes) {
    return (bytes + 7) & ~7L;
  }
}
