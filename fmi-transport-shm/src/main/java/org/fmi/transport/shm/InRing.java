package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.FrameHandler;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/** The reader's end of a ring. */
final class InRing {
  /** The writer's rank. */
  final int peer;

  /** The writer's inbox; null if it has left. */
  final @Nullable Inbox inbox;

  private final MemorySegment memory;
  private final int cellMask;
  private final long data;
  private final int dataMask;

  /** The number of frames or bytes after which the writer is notified. */
  private final int publishCells;

  private final int publishBytes;

  /** The number of frames read, and the end of the last one's data. */
  private long read;

  private long dataRead;

  /** The values that the writer knows. */
  private long readPublished;

  private long dataPublished;

  InRing(int peer, MemorySegment memory, RingLayout layout, @Nullable Inbox inbox) {
    this.peer = peer;
    this.inbox = inbox;
    this.memory = memory;
    this.cellMask = layout.cells() - 1;
    this.data = layout.data();
    this.dataMask = layout.dataBytes() - 1;
    this.publishCells = layout.cells() / 4;
    this.publishBytes = layout.dataBytes() / 4;
  }

  /** Whether there is a frame. */
  boolean ready() {
    return (commit(read) & -2) == RingLayout.commit(read);
  }

  private long commit(long number) {
    return (long) RingLayout.LONG.getAcquire(memory, RingLayout.cell(number, cellMask));
  }

  /**
   * Delivers some of the available frames. Their room becomes free only by {@link #publish}.
   *
   * @return the number of frames
   * @throws DamagedRing if the next frame is not within its memory; there are no more frames then
   */
  int poll(FrameHandler handler) {
    long first = read;
    long number = first;
    long last = first + publishCells;
    while (number < last && dataRead - dataPublished < publishBytes) {
      long cell = RingLayout.cell(number, cellMask);
      long commit = (long) RingLayout.LONG.getAcquire(memory, cell);
      long inline = RingLayout.commit(number);
      if ((commit & -2) != inline) {
        break;
      }
      long at = commit == inline ? inCell(cell) : takeData(cell);
      // Counted before: a handler that throws does not get it again.
      read = ++number;
      handler.onFrame(peer, memory, at);
    }
    return (int) (number - first);
  }

  private long inCell(long cell) {
    long at = cell + RingLayout.IN_CELL;
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    if (Integer.compareUnsigned(payload, RingLayout.INLINE_BYTES) > 0) {
      throw damaged("has " + payload + " bytes in a cell");
    }
    return at;
  }

  private long takeData(long cell) {
    long position = memory.get(FrameLayout.LONG, cell + RingLayout.IN_CELL);
    if (position < dataRead
        || position - dataPublished > dataMask
        || position % RingLayout.LINE_BYTES != 0) {
      throw damaged("is at position " + position + ", and data were read up to " + dataRead);
    }
    long start = position & dataMask;
    long at = data + start + RingLayout.IN_DATA;
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    long end = RingLayout.dataBytes(payload);
    if (payload < 0
        || start + end > dataMask + 1
        || position + end - dataPublished > dataMask + 1) {
      throw damaged("has " + payload + " bytes at position " + position);
    }
    dataRead = position + end;
    return at;
  }

  private DamagedRing damaged(String how) {
    return new DamagedRing("frame " + read + " " + how + ", of " + (dataMask + 1) + " in all");
  }

  /**
   * Returns the room of frames that were read to the writer.
   *
   * @return whether the writer waits for room
   */
  boolean publish() {
    if (read == readPublished) {
      return false;
    }
    readPublished = read;
    dataPublished = dataRead;
    RingLayout.LONG.setRelease(memory, RingLayout.DATA_READ, dataPublished);
    RingLayout.LONG.setRelease(memory, RingLayout.CELLS_READ, readPublished);
    return (int) RingLayout.INT.getAcquire(memory, RingLayout.REFUSED) != 0;
  }
}
