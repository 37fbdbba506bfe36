package org.fmi.transport.rdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.fmi.verbs.Greeting;
import org.fmi.verbs.RdmaConnection;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * A peer's connection: its credits, its outstanding work, and its reads from the peer's memory.
 *
 * <p><b>Credits</b> count frames, in both directions, from the start of the connection; they wrap
 * around.
 *
 * <pre>
 *   sender                              receiver
 *   sent &lt;= allowed  &lt;--immediate---  announced &lt;= granted = received + free buffers
 * </pre>
 *
 * <b>Empty messages</b> carry grants when no frame goes that way. They take an ungranted buffer at
 * their receiver, so only {@link ReceivePool#EMPTY} of them may be in flight. The n-th is sent only
 * when all frames allowed by the (n-2)th have arrived. Grants are sent only when they are new, so
 * the peer cannot have sent the last of these frames before it took the (n-2)th message and
 * returned its buffer. So when the n-th is sent, only the (n-1)th may still be in flight.
 */
final class Link {
  /** The states of a connection. A lost one is held until the transport closes. */
  enum State {
    /** This side has dialled. */
    DIALLING,
    /** The other side has dialled and this side has accepted. */
    ACCEPTED,
    /** Frames may be sent. */
    OPEN,
    /** Broken. */
    LOST
  }

  /** Work requests reserved for empty messages and the final marker. */
  private static final int KEPT = 4;

  /** Replaces a buffer's number if the work is a read of a piece. */
  private static final int PIECE = -2;

  /** Pieces read at a time; work posted after the first completes after it. */
  private static final int PIECES = 4;

  final RdmaConnection connection;
  final int peer;
  final Greeting.Request request;
  State state;

  /** Whether the peer has violated the protocol, so that its input is ignored. */
  boolean mute;

  /** Whether it is in the transport's list of links with unsent grants. */
  boolean grantsUnsent;

  private final ReceivePool receives;
  private final SendPool sends;

  // Work requests; one in this many is signalled.
  private final int[] buffers;
  private final int mask;
  private final int every;
  private int posted;
  private int completed;
  private int unsignalled;

  // Messages being read, in order.
  private final ArrayDeque<Read> unasked = new ArrayDeque<>();
  private final ArrayDeque<Read> inFlight = new ArrayDeque<>();
  private final int pieceBytes;
  private int pieces;

  // Outgoing frames.
  private int sent;
  private int allowed;

  // Incoming frames.
  private int received;
  private int granted = ReceivePool.BASE;
  private int announced = ReceivePool.BASE;
  private int announcedEmpty = ReceivePool.BASE;
  private int announcedEmptyBefore;

  /**
   * A connection being made.
   *
   * @param depth the most outstanding work requests, a power of two
   * @param pieceBytes the most bytes per read
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

  // ---- outgoing

  /** Opens the link: the peer has buffers for {@code credits} frames. */
  void open(int credits) {
    allowed = credits;
  }

  /** Notes the total number of grants by the peer. */
  void allow(int grants) {
    if (grants - allowed > 0) {
      allowed = grants;
    }
  }

  private int outstanding() {
    return posted - completed;
  }

  /** Whether a frame can be sent. */
  boolean ready() {
    return allowed - sent > 0 && outstanding() < buffers.length - KEPT;
  }

  /** Sends a small frame from memory that is reusable at once. */
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
    } catch (RuntimeException | Error e) { // for the payload: its arena is closed
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
    announced = granted;
  }

  /** The id of the next work request, with the peer's rank. */
  private long nextId() {
    return ((long) peer << Integer.SIZE) | ((posted + 1) & 0xffff_ffffL);
  }

  /** The peer's rank, from the id of a send. */
  static int peer(long id) {
    return (int) (id >> Integer.SIZE);
  }

  /**
   * Completes the work request of this id, and all earlier ones.
   *
   * @return the message whose last piece this was; null if there is none
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
        // Pieces are signalled: this is the completed one, and there is at most one.
        whole = succeeded ? arrivedPiece() : null;
      }
    }
    return whole;
  }

  private @Nullable Read arrivedPiece() {
    Read r = inFlight.element();
    r.arrived += Math.min(pieceBytes, r.bytes - r.arrived);
    return r.arrived == r.bytes ? inFlight.remove() : null;
  }

  // ---- reads

  /** Reads a message after the messages being read. */
  void read(Read message) throws IOException {
    unasked.add(message);
    inFlight.add(message);
    ask();
  }

  /** Posts as many reads of pieces as allowed. */
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

  /** Ensures that a completion follows all sends; returns whether one is awaited. */
  boolean flush() throws IOException {
    if (unsignalled > 0 && outstanding() < buffers.length) {
      connection.sendMarker(nextId());
      unsignalled = 0;
      buffers[posted & mask] = SendPool.NONE;
      posted++;
    }
    return outstanding() > 0;
  }

  // ---- incoming

  /** Notes that a frame has arrived and its buffer is posted again. */
  void arrived() {
    received++;
    receives.arrived();
    while (receives.claim(granted - received)) {
      granted++;
    }
    assert granted - received <= ReceivePool.WINDOW && granted - announced >= 0;
  }

  /**
   * Sends grants by an empty message if the peer may need them: when it knows of less than half of
   * them.
   *
   * @return false if there is no room for the message now
   */
  boolean sendGrants() throws IOException {
    int unsent = granted - announced;
    if (unsent == 0 || 2 * unsent < granted - received || received - announcedEmptyBefore < 0) {
      return true;
    }
    if (outstanding() >= buffers.length - 1) {
      return false;
    }
    announcedEmptyBefore = announcedEmpty;
    announcedEmpty = granted;
    post(0, 0, 0, 0, SendPool.NONE);
    return true;
  }
}
