package org.fmi.transport.shm;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.fmi.wire.FrameLayout;

/**
 * The layout of a ring, in which one rank sends frames to another.
 *
 * <pre>
 *   0      cells read    long, by the reader: the number of cells read
 *   8      data read     long, by the reader: the number of bytes read in the data area
 *   128    refused       int, by the writer: whether it waits for room
 *   4096   cells         each {@link #CELL_BYTES}, used in turn, one per frame
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
 * Frame number n (from 0) is complete when the commit word of cell n modulo the number of cells is
 * 2(n + 1), plus one if the frame is in the data area. It is written last, and a commit word never
 * holds anything else: a writer killed at any moment leaves whole frames, and nothing that
 * resembles one. A payload of 8 bytes or less shares one cache line with commit word and header.
 *
 * <p>Numbers and positions only grow. The reader rarely publishes its position, and the writer
 * reads it only when it believes the ring to be full.
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

  /** The offset of a frame's header in the data area, which aligns its payload to a cache line. */
  static final long IN_DATA = LINE_BYTES - FrameLayout.HEADER_BYTES;

  static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private static final int FEWEST_CELLS = 64;
  private static final int DATA_BYTES_PER_CELL = 4096;
  private static final int LEAST_DATA = 64 << 10;
  private static final int MOST_DATA = 2 << 20;

  /** The least number of longest frames whose data fit into a ring, without their headers. */
  private static final int FRAMES = 4;

  private static final long NODE_BYTES = 64L << 20;

  /**
   * The rings of a node with {@code ranksOnNode} ranks. Data areas are 2 MiB for up to 6 ranks,
   * then smaller, so that all of them together are 64 MiB when all ranks communicate with each
   * other, but at least 64 KiB (then 76 KiB in all: 300 MiB for 64 ranks that all communicate).
   */
  static RingLayout of(int ranksOnNode) {
    long pairs = Math.max(1, (long) ranksOnNode * (ranksOnNode - 1));
    return ofData(Math.clamp(Long.highestOneBit(NODE_BYTES / pairs), LEAST_DATA, MOST_DATA));
  }

  /**
   * The smallest ring for frames with this payload, a power of two, on a node without room for
   * others.
   */
  static RingLayout smallest(int payload) {
    return ofData(Math.max(LEAST_DATA, payload * FRAMES));
  }

  /** The longest payload that fits several times. */
  int mostPayload() {
    return dataBytes / FRAMES;
  }

  /** The memory of these rings when all ranks communicate with each other. */
  static long nodeBytes(int ranksOnNode) {
    return of(ranksOnNode).fileBytes() * ranksOnNode * (ranksOnNode - 1);
  }

  private static RingLayout ofData(int dataBytes) {
    return new RingLayout(Math.max(FEWEST_CELLS, dataBytes / DATA_BYTES_PER_CELL), dataBytes);
  }

  /** The layout of a file of this size. */
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

  /** The offset of the data area. */
  long data() {
    return CELLS + (long) cells * CELL_BYTES;
  }

  /** The offset of a frame's cell. */
  static long cell(long number, int cellMask) {
    return CELLS + (number & cellMask) * CELL_BYTES;
  }

  /** The commit word of a frame in its cell. */
  static long commit(long number) {
    return 2 * (number + 1);
  }

  /** The size of a frame in the data area. */
  static long dataBytes(int payload) {
    return LINE_BYTES + ((payload + (LINE_BYTES - 1L)) & -LINE_BYTES);
  }
}
