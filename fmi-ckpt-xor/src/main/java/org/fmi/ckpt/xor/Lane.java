package org.fmi.ckpt.xor;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * One block on its way through this rank: it is received into one of two buffers while the other is
 * being sent. Several lanes at work keep network, memory and processor busy at the same time.
 */
final class Lane {
  /** Tag of all blocks. They come in the order in which they were sent. */
  private static final int TAG = 3;

  private static final int LANES = 4;

  private final Comm comm;
  private final long[][] buffers = new long[2][PieceLayout.BLOCK_BYTES / Long.BYTES];
  private final MemorySegment[] segments = {
    MemorySegment.ofArray(buffers[0]), MemorySegment.ofArray(buffers[1])
  };
  private @Nullable Request sending;
  private @Nullable Request receiving;

  private Lane(Comm comm) {
    this.comm = comm;
  }

  static Lane[] lanes(Comm comm) {
    Lane[] lanes = new Lane[LANES];
    Arrays.setAll(lanes, i -> new Lane(comm));
    return lanes;
  }

  /** Forgets what was under way in an epoch that has ended. */
  void reset() {
    sending = null;
    receiving = null;
  }

  /** One of the two buffers, chosen by the lowest bit. */
  long[] buffer(long which) {
    return buffers[(int) (which & 1)];
  }

  /** The same buffer as {@link #buffer}. */
  MemorySegment segment(long which) {
    return segments[(int) (which & 1)];
  }

  void receive(long which, int bytes, int from) {
    receive(segment(which), 0, bytes, from);
  }

  void receive(MemorySegment to, long at, int bytes, int from) {
    receiving = comm.irecv(to, at, bytes, from, TAG);
  }

  void send(long which, int bytes, int to) {
    sending = comm.isend(segment(which), 0, bytes, to, TAG);
  }

  /** Sends a block as it is stored, with the zeros that are not. */
  void send(StoredCheckpoint checkpoint, int chunk, long block, int to) {
    int bytes = checkpoint.layout().blockBytes(block);
    if (checkpoint.isWhole(chunk, block)) {
      long at = checkpoint.layout().blockAt(chunk, block);
      sending = comm.isend(checkpoint.piece(), at, bytes, to, TAG);
    } else {
      Arrays.fill(buffer(0), 0);
      checkpoint.addTo(buffer(0), chunk, block);
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
