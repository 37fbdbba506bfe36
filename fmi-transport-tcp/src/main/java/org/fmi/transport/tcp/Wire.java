package org.fmi.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.fmi.net.Handshake;
import org.fmi.net.LastHandler;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Landing;
import org.fmi.wire.Frame;
import org.fmi.wire.FrameLayout;
import org.fmi.wire.Memory;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection of a transport: the handshake first, then frames.
 *
 * <p>Out: when nothing is waiting, a frame is copied into a chunk and written at once or, if it is
 * long, sent in place. Bytes that the socket does not take stay with Netty ({@link #sending});
 * further frames gather in a second chunk, which follows in one piece. When it is full, offers are
 * refused.
 *
 * <p>In: Netty reads directly into {@link #in}, and frames are delivered in place. The rest of a
 * frame whose payload has a destination to {@link Landing land} at is received there, each time
 * before Netty reads. A wire without partial input holds no chunk.
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
final class Wire extends LastHandler
    implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
  private static final int MAX_READS = 8;

  /** The payload size from which a copy takes longer than another system call. */
  private static final int LONG_PAYLOAD = 96 << 10;

  final TcpTransport transport;
  private final Wires wires;
  final Channel channel;
  final Handshake handshake;
  final Answers answers;

  /** The other side; -1 until it is authenticated. */
  int peer;

  String trouble = "closed by the peer";
  boolean open;

  /** Whether it is in the transport's list of wires with something to write. */
  boolean busy;

  /** Whether it is in the transport's list of wires with frames that arrived without a handler. */
  boolean deferred;

  private @Nullable Chunk in;
  private @Nullable Chunk sending;
  private @Nullable Chunk gather;

  /** See {@link SocketCalls#descriptor}. */
  private final int socket;

  /** The destination of the payload whose frame has the header {@link #header}. */
  private final Landing landing = new Landing();

  private final MemorySegment header =
      MemorySegment.ofBuffer(ByteBuffer.allocateDirect(FrameLayout.HEADER_BYTES));

  /** The number of payload bytes still to arrive; -1 if there is no such frame. */
  private int landingLeft = -1;

  private int reads;
  private int lastRead;
  private int attempted;

  Wire(TcpTransport transport, Wires wires, Channel channel, Handshake handshake, int peer) {
    this.transport = transport;
    this.wires = wires;
    this.channel = channel;
    this.socket = SocketCalls.descriptor(channel);
    this.handshake = handshake;
    this.answers = new Answers(channel, wires.heartbeatMillis());
    this.peer = peer;
  }

  // Out.

  boolean offer(Frame frame) {
    int n = frame.bytes();
    Chunk chunk = gather;
    if (chunk == null) {
      chunk = transport.chunks.take();
      try {
        if (sending != null) {
          append(chunk, frame, n);
          gather = chunk;
        } else if (frame.payload < LONG_PAYLOAD || !sendStraight(chunk, frame)) {
          append(chunk, frame, n);
          send(chunk);
        }
      } catch (RuntimeException | Error e) { // for the payload: its arena is closed
        transport.chunks.give(chunk);
        throw e;
      }
      return true;
    }
    if (chunk.buffer.writableBytes() < n) {
      return false;
    }
    append(chunk, frame, n);
    return true;
  }

  private static void append(Chunk chunk, Frame frame, int n) {
    int at = chunk.buffer.writerIndex();
    frame.encode(chunk.memory, at);
    chunk.buffer.writerIndex(at + n);
  }

  /** Sends the frame in place, and its rest, if any, from a chunk; or does nothing. */
  private boolean sendStraight(Chunk chunk, Frame frame) {
    MemorySegment view = frame.base == null ? null : Memory.view(frame.base);
    if (socket < 0 || view == null) {
      return false;
    }
    // If Netty has closed it in an earlier offer, the descriptor may be in use again.
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    if (waiting == null || !waiting.isEmpty()) {
      return false;
    }
    MemorySegment payload = view.asSlice(frame.baseOffset, frame.payload);
    payload.get(ValueLayout.JAVA_BYTE, 0); // throws if its arena is closed: now, not in mid-frame
    frame.encodeHeader(chunk.memory, 0);
    int sent = SocketCalls.send(socket, chunk.memory.asSlice(0, FrameLayout.HEADER_BYTES), true);
    try {
      sendRest(chunk, frame, payload, sent);
    } catch (RuntimeException | Error e) { // another thread has closed its arena in the meantime
      if (sent > 0) {
        fail("payload gone in mid-frame"); // later frames would be taken for its payload
      }
      throw e;
    }
    return true;
  }

  /** Sends the rest of a frame after {@code sent} bytes of its header. */
  private void sendRest(Chunk chunk, Frame frame, MemorySegment payload, int sent) {
    if (sent < FrameLayout.HEADER_BYTES) {
      append(chunk, frame, frame.bytes());
      chunk.buffer.readerIndex(sent);
      send(chunk);
      return;
    }
    int straight = SocketCalls.send(socket, payload, false);
    if (straight == frame.payload) {
      transport.chunks.give(chunk);
    } else {
      MemorySegment.copy(payload, straight, chunk.memory, 0, frame.payload - straight);
      chunk.buffer.writerIndex(frame.payload - straight);
      send(chunk);
    }
  }

  private void send(Chunk chunk) {
    assert sending == null : "frames would overtake each other";
    channel.write(chunk.buffer.retain(), channel.voidPromise());
    channel.flush();
    if (chunk.idle()) {
      transport.chunks.give(chunk);
    } else {
      sending = chunk;
      transport.busy(this);
    }
  }

  /** Whether the socket has taken all offered frames. */
  boolean handedOver() {
    return sending == null; // gather is null then, too
  }

  /** Continues to write; returns whether there is more to write. */
  boolean pump() {
    Chunk sent = sending;
    if (sent != null && sent.idle()) {
      transport.chunks.give(sent);
      sending = null;
      Chunk next = gather;
      if (next != null) {
        gather = null;
        send(next);
      }
    }
    return sending != null;
  }

  void write(byte[] handshakeBytes) {
    if (handshakeBytes.length > 0) {
      channel.writeAndFlush(Unpooled.wrappedBuffer(handshakeBytes), channel.voidPromise());
    }
  }

  // In.

  @Override
  public void channelActive(ChannelHandlerContext context) {
    write(handshake.start());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ((ByteBuf) message).release();
    consume();
  }

  /** Consumes as much of the input as possible. */
  void consume() {
    Chunk chunk = in;
    if (chunk != null && !open) {
      shake(chunk);
    }
    if (open) {
      FrameHandler handler = transport.handler;
      if (chunk != null && landingLeft > 0) {
        land(chunk);
      }
      if (handler != null && landed(handler) && chunk != null) {
        parse(chunk, handler);
      }
      if (transport.handler == null
          && (landingLeft == 0 || (chunk != null && chunk.buffer.isReadable()))) {
        transport.defer(this);
      }
    }
    tidy();
  }

  /** Holds the chunk only while it has frames to deliver or to complete. */
  private void tidy() {
    Chunk chunk = in;
    if (chunk == null) {
      return;
    }
    if (!chunk.buffer.isReadable() || (!deferred && !channel.isOpen())) {
      in = null;
      transport.chunks.give(chunk);
    } else if (chunk.buffer.writableBytes() < Chunk.BYTES / 2) {
      moveToFront(chunk);
    }
  }

  private void parse(Chunk chunk, FrameHandler handler) {
    MemorySegment memory = chunk.memory;
    int at = chunk.buffer.readerIndex();
    int end = chunk.buffer.writerIndex();
    while (end - at >= FrameLayout.HEADER_BYTES) {
      int payload = memory.get(FrameLayout.INT, at + FrameLayout.PAYLOAD);
      if (payload < 0 || payload > TcpTransport.MAX_PAYLOAD) {
        chunk.buffer.readerIndex(end);
        fail("frame with a payload of " + payload + " bytes");
        return;
      }
      int n = FrameLayout.HEADER_BYTES + payload;
      if (end - at < n) {
        landing(chunk, at, payload, handler);
        return;
      }
      // Consumed before: a handler that throws does not get it again.
      chunk.buffer.readerIndex(at + n);
      transport.work++;
      try {
        handler.onFrame(peer, memory, at);
      } catch (RuntimeException | Error e) {
        transport.thrown(e);
        return;
      }
      at += n;
    }
  }

  // Landing.

  /** Begins to land the frame at {@code at} if it is long and has a destination. */
  private void landing(Chunk chunk, int at, int payload, FrameHandler handler) {
    try {
      if (payload >= LONG_PAYLOAD && socket >= 0 && handler.land(peer, chunk.memory, at, landing)) {
        MemorySegment.copy(chunk.memory, at, header, 0, FrameLayout.HEADER_BYTES);
        chunk.buffer.readerIndex(at + FrameLayout.HEADER_BYTES);
        assert landingLeft < 0 : "two frames land at once";
        landingLeft = payload;
        land(chunk);
      }
    } catch (RuntimeException | Error e) {
      transport.thrown(e);
    }
  }

  /** Copies the available payload to its destination. */
  private void land(Chunk chunk) {
    int n = Math.min(landingLeft, chunk.buffer.readableBytes());
    int from = chunk.buffer.readerIndex();
    try {
      MemorySegment.copy(chunk.memory, from, place(), landing.offset, n);
    } catch (RuntimeException e) { // its arena is closed
      transport.thrown(e);
      return;
    }
    chunk.buffer.readerIndex(from + n);
    advance(n);
  }

  /** Receives the available payload at its destination, and payloads that follow at once. */
  private void receive() {
    // A delivery may be answered at once, and the answer may find the connection broken.
    for (int i = 0; i < MAX_READS && landingLeft > 0 && channel.isOpen(); i++) {
      MemorySegment payload = place().asSlice(landing.offset, landingLeft);
      int received;
      try {
        received = SocketCalls.receive(socket, payload);
      } catch (RuntimeException e) { // its arena is closed
        transport.thrown(e);
        return;
      }
      if (received == 0) {
        return;
      }
      advance(received);
      if (landingLeft == 0) {
        Chunk chunk = transport.chunks.take();
        in = chunk;
        MemorySegment next = chunk.memory.asSlice(0, FrameLayout.HEADER_BYTES);
        chunk.buffer.writerIndex(SocketCalls.receive(socket, next));
        consume();
      }
    }
  }

  private MemorySegment place() {
    return Objects.requireNonNull(Memory.view(Objects.requireNonNull(landing.base)));
  }

  private void advance(int n) {
    landing.offset += n;
    landingLeft -= n;
    assert landingLeft >= 0 : "more has landed than the frame has";
  }

  /** Delivers a complete payload; returns whether nothing of it is missing. */
  private boolean landed(FrameHandler handler) {
    if (landingLeft == 0) {
      landingLeft = -1;
      landing.base = null;
      transport.work++;
      try {
        handler.onLanded(peer, header, 0);
      } catch (RuntimeException | Error e) {
        transport.thrown(e);
      }
    }
    return landingLeft < 0 && transport.handler != null;
  }

  private static void moveToFront(Chunk chunk) {
    int from = chunk.buffer.readerIndex();
    int n = chunk.buffer.readableBytes();
    if (from > 0) {
      MemorySegment.copy(chunk.memory, from, chunk.memory, 0, n);
      chunk.buffer.setIndex(0, n);
    }
  }

  private void shake(Chunk chunk) {
    int from = chunk.buffer.readerIndex();
    ByteBuffer bytes = chunk.bytes.slice(from, chunk.buffer.readableBytes());
    while (!open && bytes.hasRemaining()) {
      write(handshake.receive(bytes));
      switch (handshake.state()) {
        case DECIDING -> wires.decide(this);
        case ACCEPTED -> wires.opened(this);
        case REFUSED -> {
          wires.refused(this);
          bytes.position(bytes.limit());
        }
        case FAILED -> {
          fail("wrong secret or foreign protocol");
          bytes.position(bytes.limit());
        }
        case AWAIT_HELLO, AWAIT_CHALLENGE, AWAIT_PROOF, AWAIT_VERDICT -> {}
      }
    }
    chunk.buffer.readerIndex(from + bytes.position());
  }

  /** Closes the wire; {@link Wires} learns of it through {@link #channelInactive}. */
  void fail(String reason) {
    trouble = reason;
    channel.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof NotNow) {
      return;
    }
    fail(String.valueOf(cause.getMessage()));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    tidy();
    wires.closed(this);
  }

  // Netty's read buffer: see RecvByteBufAllocator.

  /** Stops Netty from reading; means nothing about the connection. */
  @SuppressWarnings("serial") // never serialized
  private static final class NotNow extends RuntimeException {
    NotNow() {
      super(null, null, false, false);
    }
  }

  @Override
  @SuppressWarnings("deprecation") // Netty's own handles still implement this one
  public ExtendedHandle newHandle() {
    return this;
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator unused) {
    if (landingLeft > 0) {
      receive();
    }
    Chunk chunk = in;
    if (chunk == null) {
      chunk = in = transport.chunks.take();
    }
    // A read into a full buffer resembles the end; a closed channel's descriptor may be in use
    // again.
    if (!chunk.buffer.isWritable() || !channel.isOpen()) {
      throw new NotNow();
    }
    return chunk.buffer.retain();
  }

  @Override
  public int guess() {
    return Chunk.BYTES;
  }

  @Override
  public void reset(ChannelConfig config) {
    reads = 0;
  }

  @Override
  public void incMessagesRead(int messages) {
    reads += messages;
  }

  @Override
  public void lastBytesRead(int bytes) {
    lastRead = bytes;
  }

  @Override
  public int lastBytesRead() {
    return lastRead;
  }

  @Override
  public void attemptedBytesRead(int bytes) {
    attempted = bytes;
  }

  @Override
  public int attemptedBytesRead() {
    return attempted;
  }

  @Override
  public boolean continueReading() {
    return lastRead == attempted && mayContinue();
  }

  @Override
  public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
    return mayContinue() && maybeMore.get();
  }

  /**
   * Whether Netty may continue to read: only a bounded number of times, as other wires wait too;
   * and not without a handler, as the chunk would fill up.
   */
  private boolean mayContinue() {
    return reads < MAX_READS && !deferred;
  }

  @Override
  public void readComplete() {
    tidy();
  }
}
