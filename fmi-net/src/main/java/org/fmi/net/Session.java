package org.fmi.net;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream of frames between two processes that outlives its connections. Each side counts the
 * frames that it has received and acknowledges them; a frame is kept until the peer has it, and
 * sent again over the next connection. So a connection that breaks loses and repeats nothing. Any
 * thread may call its methods.
 *
 * <pre>
 *   0      1
 *   +------+------------------
 *   | 0    | frame...
 *   +------+------------------
 *   | 1    | count (8 bytes)      number of frames received; the first thing sent over a connection
 *   +------+------------------
 * </pre>
 */
public final class Session {
  private static final byte FRAME = 0;
  private static final byte RECEIVED = 1;

  /** Received frames are acknowledged after so many of them, or after this time. */
  private static final int ACKNOWLEDGE_FRAMES = 32;

  private static final long ACKNOWLEDGE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Frames that the peer may not have, oldest first, each with its first byte. */
  private final Deque<byte[]> kept = new ArrayDeque<>();

  /** The number of frames sent, and received. */
  private long sent;

  private long received;

  /** The number of frames that were acknowledged last, and when. */
  private long acknowledged;

  private long acknowledgedAt;

  private @Nullable Connection connection;

  /** Whether the peer has said, over this connection, which frames it has. */
  private boolean resumed;

  /**
   * Continues over a new connection, which must be open. Frames that arrive over an earlier one are
   * ignored from now on.
   */
  public synchronized void open(Connection opened) {
    connection = opened;
    resumed = false;
    acknowledge();
  }

  /** Notes that a connection is closed. */
  public synchronized void closed(Connection closed) {
    if (connection == closed) {
      connection = null;
      resumed = false;
    }
  }

  /** Sends a frame, now or over the next connection. Frames of one thread arrive in order. */
  public synchronized void send(byte[] frame) {
    byte[] marked = marked(frame);
    Connection open = keep(marked);
    if (open != null) {
      open.send(marked);
    }
  }

  /**
   * Sends a frame over several sessions of one loop, from one copy. Called where no other thread
   * sends over one of them.
   */
  public static void sendAll(NetLoop loop, Collection<Session> to, byte[] frame) {
    byte[] marked = marked(frame);
    List<Connection> open = new ArrayList<>();
    for (Session session : to) {
      Connection connection = session.keep(marked);
      if (connection != null) {
        open.add(connection);
      }
    }
    loop.send(open, marked);
  }

  private static byte[] marked(byte[] frame) {
    return ByteBuffer.allocate(1 + frame.length).put(FRAME).put(frame).array();
  }

  /** Keeps a frame; returns the connection over which it can be sent now. */
  private synchronized @Nullable Connection keep(byte[] marked) {
    kept.add(marked);
    sent++;
    return resumed ? connection : null;
  }

  /**
   * Handles what has arrived over a connection.
   *
   * @return the frame, or null if there is nothing for the user of the session
   * @throws ProtocolException if the peer has no session with this side
   */
  public synchronized @Nullable ByteBuffer received(Connection from, ByteBuffer arrived)
      throws ProtocolException {
    if (from != connection) {
      return null;
    }
    byte kind = arrived.get();
    if (kind == RECEIVED && arrived.remaining() == Long.BYTES) {
      forget(arrived.getLong());
      if (!resumed) {
        resumed = true;
        kept.forEach(from::send);
      }
      return null;
    }
    if (kind != FRAME || !arrived.hasRemaining()) {
      throw new ProtocolException(
          "a frame of kind " + kind + " with " + arrived.remaining() + " more bytes");
    }
    received++;
    if (received - acknowledged >= ACKNOWLEDGE_FRAMES
        || System.nanoTime() - acknowledgedAt >= ACKNOWLEDGE_NANOS) {
      acknowledge();
    }
    return arrived.slice();
  }

  /** Forgets frames that the peer has. */
  private void forget(long count) throws ProtocolException {
    long first = sent - kept.size();
    if (count < first || count > sent) {
      throw new ProtocolException(
          "the peer has " + count + " frames of " + sent + ", of which it had " + first);
    }
    for (; first < count; first++) {
      kept.remove();
    }
  }

  private void acknowledge() {
    Connection open = connection;
    if (open != null) {
      acknowledged = received;
      acknowledgedAt = System.nanoTime();
      open.send(ByteBuffer.allocate(1 + Long.BYTES).put(RECEIVED).putLong(received).flip());
    }
  }

  /** The exception for a frame that does not continue this session. */
  public static final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
      super(message);
    }
  }
}
