package org.fmi.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.fmi.core.spi.FrameHandler;
import org.fmi.core.wire.Frame;
import org.fmi.core.wire.FrameLayout;
import org.fmi.net.Handshake;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection of a transport: the handshake first, then frames.
 *
 * <p>Out: when nothing is waiting, a frame is copied into a chunk and written at once. What the
 * socket does not take stays with Netty ({@link #sending}); frames offered meanwhile gather in a
 * second chunk that follows in one piece. When that is full, offers are refused.
 *
 * <p>In: Netty reads straight into {@link #in}; frames are handed on where they lie. A wire with
 * nothing half read holds no chunk.
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
final class Wire extends ChannelInboundHandlerAdapter
    implements RecvByteBufAllocator, RecvByteBufAllocator.ExtendedHandle {
  private static final int MAX_READS = 8;

  final TcpTransport transport;
  final Channel channel;
  final Handshake handshake;

  /** The attempt to dial this is; 0 on the accepting side. */
  final int attempt;

  /** The other side; -1 until it has proven who it is. */
  int peer;

  String trouble = "closed by the peer";
  boolean open;

  /** In the transport's list of wires with something to write. */
  boolean busy;

  /** In the transport's list of wires with frames that arrived while no handler was there. */
  boolean deferred;

  private @Nullable Chunk in;
  private @Nullable Chunk sending;
  private @Nullable Chunk gather;

  private int reads;
  private int lastRead;
  private int attempted;

  Wire(TcpTransport transport, Channel channel, Handshake handshake, int peer, int attempt) {
    this.transport = transport;
    this.channel = channel;
    this.handshake = handshake;
    this.peer = peer;
    this.attempt = attempt;
  }

  // Out.

  boolean offer(Frame frame) {
    int n = frame.bytes();
    Chunk chunk = gather;
    if (chunk == null) {
      chunk = transport.chunks.take();
      append(chunk, frame, n);
      if (sending == null) {
        send(chunk);
      } else {
        gather = chunk;
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

  private void send(Chunk chunk) {
    channel.write(chunk.buffer.retain(), channel.voidPromise());
    channel.flush();
    if (chunk.idle()) {
      transport.chunks.give(chunk);
    } else {
      sending = chunk;
      transport.busy(this);
    }
  }

  /** Goes on writing; returns whether there is more to write. */
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

  /** Takes what can be taken of the bytes in {@link #in}. */
  void consume() {
    Chunk chunk = in;
    if (chunk == null) {
      return;
    }
    if (!open) {
      shake(chunk);
    }
    if (open) {
      FrameHandler handler = transport.handler;
      if (handler != null) {
        parse(chunk, handler);
      }
      if (transport.handler == null && chunk.buffer.isReadable()) {
        transport.defer(this);
      }
    }
    if (!chunk.buffer.isReadable()) {
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
        return;
      }
      // Taken before it is handed on: a handler that throws does not get it again.
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
        case DECIDING -> transport.decide(this);
        case ACCEPTED -> transport.opened(this);
        case REFUSED -> {
          transport.refused(this);
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

  /** Closes it; the transport hears of it through {@link #channelInactive}. */
  void fail(String reason) {
    trouble = reason;
    channel.close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    fail(String.valueOf(cause.getMessage()));
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    transport.closed(this);
  }

  // What Netty reads into: see RecvByteBufAllocator.

  @Override
  @SuppressWarnings("deprecation") // Netty's own handles are this one still
  public ExtendedHandle newHandle() {
    return this;
  }

  @Override
  public ByteBuf allocate(ByteBufAllocator unused) {
    Chunk chunk = in;
    if (chunk == null) {
      chunk = in = transport.chunks.take();
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

  /** Not for ever, for others wait too; and not without a handler, for the chunk fills. */
  private boolean mayContinue() {
    return reads < MAX_READS && !deferred;
  }

  @Override
  public void readComplete() {
    Chunk chunk = in;
    if (chunk != null && !chunk.buffer.isReadable()) {
      in = null;
      transport.chunks.give(chunk);
    }
  }
}
