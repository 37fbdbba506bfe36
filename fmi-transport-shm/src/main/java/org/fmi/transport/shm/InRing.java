package org.fmi.transport.shm;

import java.lang.foreign.MemorySegment;
import org.fmi.spi.FrameHandler;
import org.fmi.wire.FrameLayout;
import org.jspecify.annotations.Nullable;

/** The reader's end of a ring. */
final class InRing {
  /** The writer. */
  final int peer;

  /** The writer's; null if it has left. */
  final @Nullable Inbox inbox;

  private final MemorySegment memory;
  private final int cellMask;
  private final long data;
  private final int dataMask;

  /** After this many frames or bytes the writer is notified. */
  private final int tellCells;

  private final int tellData;

  /** Frames read, and where the data of the last one ended. */
  private long read;

  private long dataRead;

  /** What the writer knows of that. */
  private long readTold;

  private long dataTold;

  InRing(int peer, MemorySegment memory, RingLayout layout, @Nullable Inbox inbox) {
    this.peer = peer;
    this.inbox = inbox;
    this.memory = memory;
    this.cellMask = layout.cells() - 1;
    this.data = layout.data();
    this.dataMask = layout.dataBytes() - 1;
    this.tellCells = layout.cells() / 4;
    this.tellData = layout.dataBytes() / 4;
  }

  /** Whether there is a frame. */
  boolean ready() {
    return (commit(read) & -2) == RingLayout.commit(read);
  }

  private long commit(long number) {
    return (long) RingLayout.LONG.getAcquire(memory, RingLayout.cell(number, cellMask));
  }

  /**
   * Hands on some of the frames that are there. What it has done with is free only when {@link
   * #tell} is called.
   *
   * @return their number
   */
  int poll(FrameHandler handler) {
    long first = read;
    long number = first;
    long last = first + tellCells;
    while (number < last && dataRead - dataTold < tellData) {
      long cell = RingLayout.cell(number, cellMask);
      long commit = (long) RingLayout.LONG.getAcquire(memory, cell);
      long inline = RingLayout.commit(number);
      if ((commit & -2) != inline) {
        break;
      }
      // Before it is handed on: a handler that throws does not get it again.
      read = ++number;
      if (commit == inline) {
        handler.onFrame(peer, memory, cell + RingLayout.IN_CELL);
      } else {
        handler.onFrame(peer, memory, takeData(cell));
      }
    }
    return (int) (number - first);
  }

  private long takeData(long cell) {
    long position = memory.get(FrameLayout.LONG, cell + RingLayout.IN_CELL);
    long at = data + (position & dataMask) + RingLayout.IN_DATA;
    int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
    assert position >= dataRead : "data are written over that were not read";
    dataRead = position + RingLayout.dataBytes(payload);
    return at;
  }

  /**
   * Gives the writer the room of what was read.
   *
   * @return whether the writer waits for that
   */
  boolean tell() {
    if (read == readTold) {
      return false;
    }
    readTold = read;
    dataTold = dataRead;
    RingLayout.LONG.setRelease(memory, RingLayout.DATA_READ, dataTold);
    RingLayout.LONG.setRelease(memory, RingLayout.CELLS_READ, readTold);
    return (int) RingLayout.INT.getAcquire(memory, RingLayout.REFUSED) != 0;
  }
}
