package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * One peer's connection: what may be sent over it and read from the peer, and what is under way.
 *
 * <p><b>Credits</b> count frames, both ways, from the connection's begin on; they wrap around.
 *
 * <pre>
 *   sender                              receiver
 *   sent &lt;= allowed  &lt;--immediate---  told &lt;= granted = received + what has a buffer
 * </pre>
 *
 * <b>Empty messages</b> tell grants when no frame goes that way. They take a buffer at the sender
 * that nobody granted, so there may only be {@link ReceivePool#TELLING} of them under way. The n-th
 * is sent only when all frames have arrived that the (n-2)th allowed. Grants are sent only when
 * they are news; so the peer cannot have sent the last of those frames before it took the (n-2)th
 * message, and gave its buffer back. So when the n-th goes, only the (n-1)th may still be under
 * way.
 */
final class Link {
  /** The life of a connection. A lost one is kept until the transport closes. */
  enum State {
    /** This side has dialled. */
    DIALLING,
    /** The other side has dialled and was answered. */
    ACCEPTED,
    /** Frames may go. */
    OPEN,
    /** Broken. */
    LOST
  }

  /** Work requests kept for empty messages and the marker at the end. */
  private static final int KEPT = 4;

  /** In place of a buffer: the work is a piece that is read. */
  private static final int PIECE = -2;

  /** Pieces that are read at a time; what is posted behind the first completes after it. */
  private static final int PIECES = 4;

  final RdmaConnection connection;
  final int peer;
  final Greeting.Request request;
  State state;

  /** It has broken the protocol: nothing of it is taken any more. */
  boolean mute;

  /** In the transport's list of those that could not tell their grants. */
  boolean untold;

  private final ReceivePool receives;
  private final SendPool sends;

  // Work requests: one in this many is signalled.
  private final int[] buffers;
  private final int mask;
  private final int every;
  private int posted;
  private int completed;
  private int unsignalled;

  // Messages read, in their order.
  private final ArrayDeque<Read> unasked = new ArrayDeque<>();
  private final ArrayDeque<Read> underWay = new ArrayDeque<>();
  private final int pieceBytes;
  private int pieces;

  // Frames out.
  private int sent;
  private int allowed;

  // Frames in.
  private int received;
  private int granted = ReceivePool.BASE;
  private int told = ReceivePool.BASE;
  private int toldEmpty = ReceivePool.BASE;
  private int toldEmptyBefore;

  /**
   * A connection that is being made.
   *
   * @param depth work that may be outstanding, a power of two
   * @param pieceBytes as many are read at once
   */
  Link(
      RdmaConnection connection,
      int peer,
      Greeting.Request request,
      State state,
      ReceivePool receives,
      SendPool sends,
      int depth,
      int pieceBytes) {
    this.connection = connection;
    this.peer = peer;
    this.request = request;
    this.state = state;
    this.receives = receives;
    this.sends = sends;
    this.buffers = new int[depth];
    this.mask = depth - 1;
    this.every = depth / 4;
    this.pieceBytes = pieceBytes;
  }

  // ---- out

  /** The connection stands; the peer has buffers for {@code credits} frames. */
  void open(int credits) {
    allowed = credits;
  }

  /** The peer has granted this many in all. */
  void allow(int grants) {
    if (grants - allowed > 0) {
      allowed = grants;
    }
  }

  private int outstanding() {
    return posted - completed;
  }

  /** Whether there is room for a frame. */
  boolean ready() {
    return allowed - sent > 0 && outstanding() < buffers.length - KEPT;
  }

  /** Sends a small frame from memory that is free again at once. */
  void sendInline(Frame frame, MemorySegment scratch) throws IOException {
    frame.encode(scratch, 0);
    post(scratch.address(), frame.bytes(), 0, RdmaConnection.INLINE, SendPool.NONE);
    sent++;
  }

  /** Sends a frame from a buffer of the pool. */
  void send(Frame frame, int buffer) throws IOException {
    Slab slab = sends.slab;
    long at = Slab.offset(buffer);
    try {
      frame.encode(slab.memory, at);
    } catch (RuntimeException | Error e) { // of the payload: its arena is closed
      sends.give(buffer);
      throw e;
    }
    post(slab.memory.address() + at, frame.bytes(), slab.key, 0, buffer);
    sent++;
  }

  private void post(long address, int bytes, int key, int flags, int buffer) throws IOException {
    assert outstanding() < buffers.length;
    boolean signal = ++unsignalled >= every || (buffer != SendPool.NONE && sends.scarce());
    if (signal) {
      unsignalled = 0;
    }
    connection.send(
        nextId(), address, bytes, key, granted, flags | (signal ? RdmaConnection.SIGNALLED : 0));
    buffers[posted & mask] = buffer;
    posted++;
    told = granted;
  }

  /** Names the next work posted, and the peer. */
  private long nextId() {
    return ((long) peer << Integer.SIZE) | ((posted + 1) & 0xffff_ffffL);
  }

  /** The peer's rank, from the id of a send. */
  static int peer(long id) {
    return (int) (id >> Integer.SIZE);
  }

  /**
   * The work of this id, and all before it, have completed.
   *
   * @return the message of which this was the last piece
   */
  @Nullable Read completed(long id, boolean succeeded) {
    int until = (int) id;
    assert until - posted <= 0 : "work completed that was never posted";
    Read whole = null;
    while (until - completed > 0) {
      int buffer = buffers[completed & mask];
      completed++;
      if (buffer >= 0) {
        sends.give(buffer);
      } else if (buffer == PIECE) {
        pieces--;
        assert pieces >= 0;
        // Signalled, so this is the work named, and there is one at most.
        whole = succeeded ? arrivedPiece() : null;
      }
    }
    return whole;
  }

  private @Nullable Read arrivedPiece() {
    Read r = underWay.element();
    r.arrived += Math.min(pieceBytes, r.bytes - r.arrived);
    return r.arrived == r.bytes ? underWay.remove() : null;
  }

  // ---- messages read

  /** Reads a message after those that are being read. */
  void read(Read message) throws IOException {
    unasked.add(message);
    underWay.add(message);
    ask();
  }

  /** Asks the device for as many pieces as may be. */
  void ask() throws IOException {
    while (pieces < PIECES && !unasked.isEmpty() && outstanding() < buffers.length - KEPT) {
      Read r = unasked.element();
      int bytes = (int) Math.min(pieceBytes, r.bytes - r.asked);
      connection.read(
          nextId(), r.address + r.asked, bytes, r.key, r.remoteAddress + r.asked, r.remoteKey);
      buffers[posted & mask] = PIECE;
      posted++;
      pieces++;
      assert outstanding() <= buffers.length && pieces <= PIECES;
      unsignalled = 0;
      r.asked += bytes;
      if (r.asked == r.bytes) {
        unasked.remove();
      }
    }
  }

  /** Whether work is outstanding. */
  boolean busy() {
    return outstanding() > 0;
  }

  /** Makes sure that a completion follows all that was sent. Returns whether one is awaited. */
  boolean flush() throws IOException {
    if (unsignalled > 0 && outstanding() < buffers.length) {
      connection.sendMarker(nextId());
      unsignalled = 0;
      buffers[posted & mask] = SendPool.NONE;
      posted++;
    }
    return outstanding() > 0;
  }

  // ---- in

  /** A frame has arrived and its buffer is posted again. */
  void arrived() {
    received++;
    receives.arrived();
    while (receives.claim(granted - received)) {
      granted++;
    }
    assert granted - received <= ReceivePool.WINDOW && granted - told >= 0;
  }

  /**
   * Tells grants by an empty message if the peer may need them: when it knows of less than half of
   * them.
   *
   * @return false if there is no room for the message now
   */
  boolean tell() throws IOException {
    int untold = granted - told;
    if (untold == 0 || 2 * untold < granted - received || received - toldEmptyBefore < 0) {
      return true;
    }
    if (outstanding() >= buffers.length - 1) {
      return false;
    }
    toldEmptyBefore = toldEmpty;
    toldEmpty = granted;
    post(0, 0, 0, 0, SendPool.NONE);
    return true;
  }
}
