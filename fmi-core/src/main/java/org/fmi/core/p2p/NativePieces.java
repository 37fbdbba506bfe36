package org.fmi.core.p2p;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Native memory in pieces that are used again: copies of messages are not on the heap, whose size
 * the program has chosen for what it holds itself.
 *
 * <p>A piece is freed once nothing refers to it. So one that a message is still sent out of may be
 * dropped, but not given back.
 */
public final class NativePieces {
  /** The size of the smallest pieces, in bytes. */
  public static final int SMALLEST = 16 << 10;

  /** Those that are given back, the first one first: a program mostly does the same again. */
  private final List<MemorySegment> free = new ArrayList<>();

  private long most;
  private long held;
  private boolean exhausted;

  /** From now on, to hold no more bytes than this is worth freeing pieces for. */
  public void most(long bytes) {
    most = bytes;
  }

  /** Bytes of all pieces, those that are given back included. */
  public long held() {
    return held;
  }

  /** Whether a piece of {@link #SMALLEST} bytes is there, or may be made. */
  public boolean hasRoom() {
    return !free.isEmpty() || held + SMALLEST <= most;
  }

  /**
   * A piece, with whatever is in it.
   *
   * @param least the fewest bytes that it may have
   * @param wanted how many a new one gets
   * @param largest what is longer is left for something else
   * @return null if there is no memory
   */
  public @Nullable MemorySegment take(long least, long wanted, long largest) {
    for (int i = 0; i < free.size(); i++) { // by number: an iterator would be an object
      long bytes = free.get(i).byteSize();
      if (bytes >= least && bytes <= largest) {
        return free.remove(i);
      }
    }
    while (held + wanted > most && !free.isEmpty()) {
      held -= free.removeFirst().byteSize();
    }
    return make(wanted);
  }

  private @Nullable MemorySegment make(long bytes) {
    if (exhausted) {
      return null;
    }
    try {
      MemorySegment piece = Arena.ofAuto().allocate(bytes, Long.BYTES);
      held += bytes;
      return piece;
    } catch (OutOfMemoryError e) {
      // Java has collected garbage and waited for it to be freed. Once is enough.
      exhausted = true;
      return null;
    }
  }

  /** Takes a piece back: nothing that is in it is needed. */
  public void give(MemorySegment piece) {
    free.add(piece);
  }

  /** Forgets all pieces. */
  public void drop() {
    free.clear();
    held = 0;
    exhausted = false;
  }
}
