package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;

/** The writer's end of a ring. */
final class OutRing {
  /** The reader's inbox. */
  final Inbox inbox;

  private final MemorySegment memory;
  private final int cellMask;
  private final long data;
  private final int dataMask;

  /** The number of frames written, and of bytes used in the data area. */
  private long written;

  private long used;

  /** The reader's position, as last seen. */
  private long cellsRead;

  private long dataRead;
  private boolean refused;

  /**
   * @param memory all zeros
   */
  OutRing(MemorySegment memory, RingLayout layout, Inbox inbox) {
    this.memory = memory;
    this.inbox = inbox;
    this.cellMask = layout.cells() - 1;
    this.data = layout.data();
    this.dataMask = layout.dataBytes() - 1;
    assert Integer.bitCount(cellMask + 1) == 1 && Integer.bitCount(dataMask + 1) == 1 : layout;
  }

  /**
   * See {@link org.fmi.spi.Transport#offer}.
   *
   * @throws DamagedRing if the reader's position is not possible
   */
  boolean offer(Frame frame) {
    long number = written;
    if (number - cellsRead > cellMask && !look(number, 0)) {
      return false;
    }
    long cell = RingLayout.cell(number, cellMask);
    long commit = RingLayout.commit(number);
    if (frame.payload <= RingLayout.INLINE_BYTES) {
      write(frame, cell + RingLayout.IN_CELL);
    } else {
      long position = place(number, frame.payload);
      if (position < 0) {
        return false;
      }
      write(frame, data + (position & dataMask) + RingLayout.IN_DATA);
      // Only now: an unreadable payload must leave no trace.
      used = position + RingLayout.dataBytes(frame.payload);
      memory.set(FrameLayout.LONG, cell + RingLayout.IN_CELL, position);
      commit++;
    }
    RingLayout.LONG.setRelease(memory, cell, commit);
    written = number + 1;
    if (refused) {
      refused(false);
    }
    return true;
  }

  private void write(Frame frame, long at) {
    frame.encode(memory, at);
  }

  /** Finds room in the data area; -1 if there is none. */
  private long place(long number, int payload) {
    long position = used;
    long bytes = RingLayout.dataBytes(payload);
    int left = dataMask + 1 - (int) (position & dataMask);
    if (left < bytes) {
      position += left;
    }
    long end = position + bytes;
    if (end - dataRead > dataMask + 1 && !look(number, end)) {
      return -1;
    }
    return position;
  }

  /**
   * Checks the reader's position.
   *
   * @return whether there is room for this frame, with data up to {@code end}
   */
  private boolean look(long number, long end) {
    if (!room(number, end)) {
      if (!refused) {
        refused(true);
      }
      // Once more: a reader that moved before it could see this rank wait does not ring.
      return room(number, end);
    }
    return true;
  }

  private boolean room(long number, long end) {
    long cells = (long) RingLayout.LONG.getAcquire(memory, RingLayout.CELLS_READ);
    long bytes = (long) RingLayout.LONG.getAcquire(memory, RingLayout.DATA_READ);
    if (cells < cellsRead || cells > written || bytes < dataRead || bytes > used) {
      throw new DamagedRing(
          "%d frames and %d bytes were read, of %d and %d".formatted(cells, bytes, written, used));
    }
    cellsRead = cells;
    dataRead = bytes;
    return number - cellsRead <= cellMask && end - dataRead <= dataMask + 1;
  }

  private void refused(boolean now) {
    refused = now;
    RingLayout.INT.setVolatile(memory, RingLayout.REFUSED, now ? 1 : 0);
  }

  /** Whether a frame was refused, and the reader has made room since. */
  boolean hasRoomAgain() {
    return refused
        && ((long) RingLayout.LONG.getAcquire(memory, RingLayout.CELLS_READ) != cellsRead
            || (long) RingLayout.LONG.getAcquire(memory, RingLayout.DATA_READ) != dataRead);
  }
}
