package org.fmi.bench.peers;

import java.util.Arrays;
import org.fmi.Comm;
import org.fmi.Request;
import org.fmi.Slice;

/**
 * Pending messages and receives of two ranks, which do not match: each rank has unreceived messages
 * of its peer, and receives without a message. Each has a different tag.
 */
final class Pending {
  private static final int FIRST_TAG = 1000;

  private final Comm world;
  private final int peer;
  private final int messages;
  private final double[] out;
  private final double[] in;
  private final Request[] requests;
  private int started;

  /** Makes {@code messages} messages and as many receives pending at each of the two. */
  Pending(Comm world, int messages) {
    this.world = world;
    this.peer = 1 - world.rank();
    this.messages = messages;
    this.out = new double[2 * messages];
    this.in = new double[2 * messages];
    this.requests = new Request[4 * messages];
    Arrays.setAll(out, i -> (double) world.rank() + i);
    receive(0);
    send(messages);
  }

  /** Receives and sends the missing messages; checks everything received. */
  void match() {
    receive(messages);
    send(0);
    Request.waitAll(requests);
    for (int i = 0; i < in.length; i++) {
      if (in[i] != peer + i) {
        throw new IllegalStateException("a pending receive got wrong data");
      }
    }
  }

  private void receive(int from) {
    for (int i = from; i < from + messages; i++) {
      requests[started++] = world.irecv(Slice.of(in, i, 1), peer, FIRST_TAG + i);
    }
  }

  private void send(int from) {
    for (int i = from; i < from + messages; i++) {
      requests[started++] = world.isend(Slice.of(out, i, 1), peer, FIRST_TAG + i);
    }
  }
}
