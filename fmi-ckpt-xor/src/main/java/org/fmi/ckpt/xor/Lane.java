package org.fmi.ckpt.xor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * One block on its way through this rank: it is received into one of two buffers while the other is
 * being sent. Several lanes at work keep network, memory and processor busy at the same time.
 *
 * <p>The buffers of all lanes are one piece of native memory, which a network that reads memory
 * remotely needs to know once.
 */
final class Lane {
  /** Tag of all blocks. They come in the order in which they were sent. */
  private static final int TAG = 3;

  private static final int LANES = 4;
  private static final int ALIGNMENT = 4096;

  private final Comm comm;
  private final MemorySegment memory;
  private final long firstAt;
  private @Nullable Request sending;
  private @Nullable Request receiving;

  private Lane(Comm comm, MemorySegment memory, long firstAt) {
    this.comm = comm;
    this.memory = memory;
    this.firstAt = firstAt;
  }

  static Lane[] lanes(Comm comm) {
    MemorySegment memory = Arena.ofAuto().allocate(2L * LANES * PieceLayout.BLOCK_BYTES, ALIGNMENT);
    Lane[] lanes = new Lane[LANES];
    Arrays.setAll(lanes, i -> new Lane(comm, memory, 2L * i * PieceLayout.BLOCK_BYTES));
    return lanes;
  }

  /** Forgets what was under way in an epoch that has ended. */
  void reset() {
    sending = null;
    receiving = null;
  }

  /** Where the buffers are. */
  MemorySegment memory() {
    return memory;
  }

  /** Where in {@link #memory} one of the two buffers begins, chosen by the lowest bit. */
  long at(long which) {
    return firstAt + (which & 1) * PieceLayout.BLOCK_BYTES;
  }

  void receive(long which, int bytes, int from) {
    receive(memory, at(which), bytes, from);
  }

  void receive(MemorySegment to, long at, int bytes, int from) {
    receiving = comm.irecv(to, at, bytes, from, TAG);
  }

  void send(long which, int bytes, int to) {
    sending = comm.isend(memory, at(which), bytes, to, TAG);
  }

  /** Sends a block as it is stored, with the zeros that are not. */
  void send(StoredCheckpoint checkpoint, int chunk, long block, int to) {
    int bytes = checkpoint.layout().blockBytes(block);
    if (checkpoint.isWhole(chunk, block)) {
      long at = checkpoint.layout().blockAt(chunk, block);
      sending = comm.isend(checkpoint.piece(), at, bytes, to, TAG);
    } else {
      memory.asSlice(at(0), bytes).fill((byte) 0);
      checkpoint.addTo(memory, at(0), chunk, block);
      send(0, bytes, to);
    }
  }

  void finishSending() {
    if (sending != null) {
      sending.waitFor();
      sending = null;
    }
  }

  /** The receive under way, if any; not the lane's any more. */
  @Nullable Request takeReceiving() {
    Request taken = receiving;
    receiving = null;
    return taken;
  }
}
