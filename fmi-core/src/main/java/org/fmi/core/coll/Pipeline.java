package org.fmi.core.coll;

import org.fmi.Request;
import org.jspecify.annotations.Nullable;

/**
 * A long message in pieces, several of which are in flight at a time: one piece is processed while
 * the next ones travel.
 */
final class Pipeline {
  /** A whole number of elements of any type, as the ranks' types may differ. */
  static final long BYTES = 128 << 10;

  /** Pieces in flight at a time. */
  private static final int AHEAD = 4;

  private Pipeline() {}

  /**
   * Sends to one rank and receives from another at once, and combines the received data, the left
   * operand, with this rank's own.
   *
   * @param own the right operand, as long as the received data
   * @param result the destination of the result; may be the same location as {@code own}
   */
  static void exchange(
      Channel channel,
      Reducer reducer,
      Location out,
      long outBytes,
      int dest,
      Location own,
      Location result,
      long inBytes,
      int source) {
    Location slots = channel.scratch(reducer, Scratch.Use.SPARE, Math.min(AHEAD * BYTES, inBytes));
    Incoming in = new Incoming(channel, slots, true, inBytes, source);
    Outgoing sends = new Outgoing(channel, out, outBytes, dest);
    for (long at = 0; at < Math.max(outBytes, inBytes); at += BYTES) {
      if (at < outBytes) {
        sends.send();
      }
      if (at < inBytes) {
        long n = in.await();
        channel.combine(reducer, in.piece(), own.plus(at), result.plus(at), n);
      }
    }
    sends.finish();
  }

  /** Sends a vector to a rank that calls {@link #receive}. */
  static void send(Channel channel, Location data, long bytes, int dest) {
    Outgoing out = new Outgoing(channel, data, bytes, dest);
    for (long at = 0; at < bytes; at += BYTES) {
      out.send();
    }
    out.finish();
  }

  /** Combines another rank's vector with this rank's own, as {@link #exchange} does. */
  static void receive(
      Channel channel, Reducer reducer, Location own, Location result, long bytes, int source) {
    exchange(channel, reducer, own, 0, source, own, result, bytes, source);
  }

  private static long length(long at, long bytes) {
    return Math.min(BYTES, bytes - at);
  }

  /** Receives the pieces of one message. */
  static final class Incoming {
    private final Channel channel;
    private final Location data;
    private final boolean inTurn;
    private final long bytes;
    private final int source;
    private final Request[] receives = new Request[AHEAD];
    private int slot = AHEAD - 1;
    private long at = -BYTES;

    /** Receives each piece to its place in {@code data}. */
    Incoming(Channel channel, Location data, long bytes, int source) {
      this(channel, data, false, bytes, source);
    }

    /**
     * Receives pieces.
     *
     * @param inTurn whether {@code data} has room only for the pieces in flight, which use it in
     *     turn
     */
    private Incoming(Channel channel, Location data, boolean inTurn, long bytes, int source) {
      this.channel = channel;
      this.data = data;
      this.inTurn = inTurn;
      this.bytes = bytes;
      this.source = source;
      for (int i = 0; i < AHEAD; i++) {
        receive(i, i * BYTES);
      }
    }

    private void receive(int into, long from) {
      if (from < bytes) {
        receives[into] = channel.irecv(place(into, from), length(from, bytes), source);
      }
    }

    private Location place(int into, long from) {
      return data.plus(inTurn ? into * BYTES : from);
    }

    /** Waits for the next piece and returns its length. The previous piece is not used any more. */
    long await() {
      if (at >= 0) {
        receive(slot, at + AHEAD * BYTES);
      }
      at += BYTES;
      slot = (slot + 1) % AHEAD;
      long n = length(at, bytes);
      channel.complete(receives[slot], place(slot, at), n);
      return n;
    }

    /** The location of the last piece. */
    Location piece() {
      return place(slot, at);
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

    /** Returns when the memory of all pieces may be reused. */
    void finish() {
      Request.waitAll(sends);
    }
  }
}
