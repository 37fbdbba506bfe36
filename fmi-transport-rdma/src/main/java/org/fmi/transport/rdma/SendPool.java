package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import org.fmi.verbs.Verbs;

/** Send buffers shared by all connections. */
final class SendPool {
  static final int NONE = -1;

  /** 1 MiB: more than is in transit to the peers' devices at a time. */
  static final int FRAMES = 64;

  final Slab slab;
  private final int[] free = new int[FRAMES];
  private int count = FRAMES;

  SendPool(Verbs verbs, Arena arena) throws IOException {
    slab = new Slab(verbs, arena, FRAMES);
    for (int i = 0; i < FRAMES; i++) {
      free[i] = FRAMES - 1 - i;
    }
  }

  /** Takes a buffer; {@link #NONE} if there is none. */
  int take() {
    return count == 0 ? NONE : free[--count];
  }

  void give(int frame) {
    assert count < FRAMES : "a buffer was given back twice";
    free[count++] = frame;
  }

  /**
   * Whether a send must be signalled at once instead of waiting for a later one. Half of the
   * buffers always return by themselves, however many connections hold some.
   */
  boolean scarce() {
    return count <= FRAMES / 2;
  }
}
