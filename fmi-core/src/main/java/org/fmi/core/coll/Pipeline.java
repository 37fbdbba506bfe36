package org.fmi.core.coll;

import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * A long message in pieces, of which a few are under way at a time: what is done with one takes
 * place while the next ones travel.
 */
final class Pipeline {
  /** A whole number of elements of any type: ranks may use different ones. */
  static final long BYTES = 128 << 10;

  /** Pipeline under way at a time. */
  private static final int AHEAD = 4;

  private Pipeline() {}

  private static long length(long at, long bytes) {
    return Math.min(BYTES, bytes - at);
  }

  /** Receives the pieces of one message. */
  static final class Incoming {
    private final Channel channel;
    private final Location data;
    private final long bytes;
    private final int source;
    private final Request[] receives = new Request[AHEAD];
    private int slot;
    private long at;

    Incoming(Channel channel, Location data, long bytes, int source) {
      this.channel = channel;
      this.data = data;
      this.bytes = bytes;
      this.source = source;
      for (int i = 0; i < AHEAD; i++) {
        receive(i, i * BYTES);
      }
    }

    private void receive(int into, long from) {
      if (from < bytes) {
        receives[into] = channel.irecv(data.plus(from), length(from, bytes), source);
      }
    }

    /** Returns when the next piece is there, with its length. */
    long await() {
      long n = length(at, bytes);
      channel.complete(receives[slot], n);
      receive(slot, at + AHEAD * BYTES);
      at += BYTES;
      slot = (slot + 1) % AHEAD;
      return n;
    }
  }

  /** Sends the pieces of one message. */
  static final class Outgoing {
    private final Channel channel;
    private final Location data;
    private final long bytes;
    private final int dest;
    private final @Nullable Request[] sends = new Request[AHEAD];
    private int slot;
    private long at;

    Outgoing(Channel channel, Location data, long bytes, int dest) {
      this.channel = channel;
      this.data = data;
      this.bytes = bytes;
      this.dest = dest;
    }

    /** Sends the next piece. */
    void send() {
      Request before = sends[slot];
      if (before != null) {
        before.waitFor();
      }
      sends[slot] = channel.isend(data.plus(at), length(at, bytes), dest);
      at += BYTES;
      slot = (slot + 1) % AHEAD;
    }

    /** Returns when the memory of all pieces may be used again. */
    void finish() {
      Request.waitAll(sends);
    }
  }
}
