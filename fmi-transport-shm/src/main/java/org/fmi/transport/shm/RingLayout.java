package org.fmi.transport.shm;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.fmi.wire.FrameLayout;

/**
 * The layout of a ring, through which one rank sends frames to one other.
 *
 * <pre>
 *   0      cells read    long, by the reader: how many cells it has done with
 *   8      data read     long, by the reader: how many bytes of the data area it has done with
 *   128    refused       int, by the writer: whether it waits for room
 *   4096   cells         each {@link #CELL_BYTES}, used in turn, one a frame
 *   ...    data          payloads that do not fit into a cell; contiguous, used in turn
 *
 *   cell  0                8                     56                  128
 *         +----------------+---------------------+-------------------+
 *         | commit         | the frame's header  | payload, up to 72 |     even commit
 *         | commit         | position in the data area               |     odd commit
 *         +----------------+---------------------+-------------------+
 *   data  0                16                    64
 *         +----------------+---------------------+-----------------------------------------+
 *         |                | the frame's header  | payload, padded to a multiple of 64     |
 *         +----------------+---------------------+-----------------------------------------+
 * </pre>
 *
 * Frame number n (from 0) is there when the commit word of cell n modulo the number of cells is 2(n
 * + 1), plus one if it is in the data area. It is written last, and a commit word holds nothing
 * else ever: a writer that is killed at any moment leaves whole frames, and nothing that looks like
 * one. A payload of 8 bytes or less shares one cache line with commit word and header.
 *
 * <p>Numbers and positions only grow. The reader says rarely how far it is, and the writer looks
 * only when it believes the ring full.
 */
record RingLayout(int cells, int dataBytes) {
  static final long CELLS_READ = 0;
  static final long DATA_READ = 8;
  static final long REFUSED = 128;
  static final long CELLS = 4096;
  static final int CELL_BYTES = 128;
  static final int LINE_BYTES = 64;
  static final long IN_CELL = 8;
  static final int INLINE_BYTES = CELL_BYTES - (int) IN_CELL - FrameLayout.HEADER_BYTES;

  /** Where a frame's header begins in the data area, so that its payload begins a line. */
  static final long IN_DATA = LINE_BYTES - FrameLayout.HEADER_BYTES;

  static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private static final int FEWEST_CELLS = 64;
  private static final int DATA_BYTES_PER_CELL = 4096;
  private static final int LEAST_DATA = 64 << 10;
  private static final int MOST_DATA = 2 << 20;

  /**
   * The least number of the longest frames whose data a ring has room for, but for their headers.
   */
  private static final int FRAMES = 4;

  private static final long NODE_BYTES = 64L << 20;

  /**
   * The rings of a node with {@code ranksOnNode} ranks: data areas of 2 MiB for up to 6 ranks, then
   * less, so that all together are 64 MiB when each rank talks to each other, but at least 64 KiB
   * (then 76 KiB with the rest: 300 MiB for 64 ranks that all talk to each other).
   */
  static RingLayout of(int ranksOnNode) {
    long pairs = Math.max(1, (long) ranksOnNode * (ranksOnNode - 1));
    return ofData(Math.clamp(Long.highestOneBit(NODE_BYTES / pairs), LEAST_DATA, MOST_DATA));
  }

  /** For a node that has no room for others: the smallest that takes frames of a power of two. */
  static RingLayout smallest(int payload) {
    return ofData(Math.max(LEAST_DATA, payload * FRAMES));
  }

  /** The longest payload that it takes: some frames of that length have room. */
  int mostPayload() {
    return dataBytes / FRAMES;
  }

  /** What these rings take when each rank talks to each other. */
  static long nodeBytes(int ranksOnNode) {
    return of(ranksOnNode).fileBytes() * ranksOnNode * (ranksOnNode - 1);
  }

  private static RingLayout ofData(int dataBytes) {
    return new RingLayout(Math.max(FEWEST_CELLS, dataBytes / DATA_BYTES_PER_CELL), dataBytes);
  }

  /** That of a file of this size. */
  static RingLayout ofFile(long bytes) {
    RingLayout layout = ofData((int) Long.highestOneBit(bytes));
    if (layout.fileBytes() != bytes) {
      throw new IllegalArgumentException("no ring has " + bytes + " bytes");
    }
    return layout;
  }

  long fileBytes() {
    return data() + dataBytes;
  }

  /** Where the data area begins. */
  long data() {
    return CELLS + (long) cells * CELL_BYTES;
  }

  /** Where the cell of a frame begins. */
  static long cell(long number, int cellMask) {
    return CELLS + (number & cellMask) * CELL_BYTES;
  }

  /** The commit word of a frame in its cell. */
  static long commit(long number) {
    return 2 * (number + 1);
  }

  /** What a frame takes in the data area. */
  static long dataBytes(int payload) {
    return LINE_BYTES + ((payload + LINE_BYTES - 1L) & -LINE_BYTES);
  }
}
