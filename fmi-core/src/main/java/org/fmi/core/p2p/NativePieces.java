package org.fmi.core.p2p;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reusable pieces of native memory. Copies of messages are kept off the heap, whose size the
 * program has chosen for its own data.
 *
 * <p>A piece is freed once nothing refers to it. A piece from which a message is still being sent
 * may therefore be dropped, but not returned.
 */
public final class NativePieces {
  /** The size of the smallest pieces, in bytes. */
  public static final int SMALLEST = 16 << 10;

  /** Returned pieces, in order of return, as a program mostly repeats itself. */
  private final List<MemorySegment> free = new ArrayList<>();

  private long most;
  private long held;
  private boolean exhausted;

  /** Sets the size from which on returned pieces are freed. */
  public void most(long bytes) {
    most = bytes;
  }

  /** The bytes of all pieces, returned ones included. */
  public long held() {
    return held;
  }

  /** Whether a piece of {@link #SMALLEST} bytes is available, or may be allocated. */
  public boolean hasRoom() {
    return !free.isEmpty() || held + SMALLEST <= most;
  }

  /**
   * A piece with undefined content.
   *
   * @param least the least size
   * @param wanted the size of a newly allocated piece
   * @param largest the largest size of a reused piece
   * @return null if there is no memory
   */
  public @Nullable MemorySegment take(long least, long wanted, long largest) {
    for (int i = 0; i < free.size(); i++) { // by index: an iterator would be an object
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
      // Java has collected garbage and waited for memory to be freed. Once is enough.
      exhausted = true;
      return null;
    }
  }

  /** Takes a piece back; its content is no longer needed. */
  public void give(MemorySegment piece) {
    free.add(piece);
  }

  /** Drops all pieces. */
  public void drop() {
    free.clear();
    held = 0;
    exhausted = false;
  }
}
