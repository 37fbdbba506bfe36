package org.fmi.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection: first the {@link Handshake} (not on local sockets), then frames in both directions.
 * Any thread may call its methods.
 *
 * <pre>
 *   0        4
 *   +--------+-----------
 *   | length | payload...      big endian; length 0 is a heartbeat and not handed on
 *   +--------+-----------
 * </pre>
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Connection {
  /** The process number if it is unknown. */
  public static final long UNKNOWN_PROCESS = -1;

  private static final int LENGTH = 4;
  private static final int SMALL = 4096;
  private static final int KEEP = 1 << 20;

  /**
   * The longest time for which a peer that can no longer be written to is read, if its end does not
   * arrive.
   */
  private static final int LAST_FRAMES_MILLIS = 1000;

  private enum Stage {
    CONNECTING,
    HANDSHAKE,
    OPEN,
    CLOSED
  }

  private final NetLoop loop;
  private final Channel channel;
  private final AtomicLong pending = new AtomicLong();

  /** Null on the connecting side. */
  private final @Nullable Server server;

  /** Null on local sockets. */
  private final @Nullable Handshake handshake;

  private @Nullable ConnectionHandler handler;
  private volatile Stage stage = Stage.CONNECTING;
  private @Nullable Closed closed;
  private byte[] identity = {};
  private @Nullable Future<?> proofLimit;

  /** Unparsed input, from 0 to its position. */
  private ByteBuffer in = ByteBuffer.allocate(SMALL);

  private volatile boolean wrote;

  /** Whether writing to the peer has failed. */
  private boolean deaf;

  private @Nullable Heartbeat heartbeat;
  private BooleanSupplier peerStarved = () -> false;
  private boolean suspected;

  /** Whether the peer's silence was reported, and did not close the connection. */
  private boolean silent;

  private volatile boolean silenceExpected;

  private Connection(
      NetLoop loop,
      Channel channel,
      @Nullable Server server,
      @Nullable Handshake handshake,
      @Nullable ConnectionHandler handler) {
    this.loop = loop;
    this.channel = channel;
    this.server = server;
    this.handshake = handshake;
    this.handler = handler;
  }

  static Connection accepted(NetLoop loop, Channel channel, Server server, boolean authenticate) {
    return new Connection(
        loop, channel, server, authenticate ? loop.acceptingHandshake() : null, null);
  }

  static Connection connecting(
      NetLoop loop, Channel channel, @Nullable Handshake handshake, ConnectionHandler handler) {
    return new Connection(loop, channel, null, handshake, handler);
  }

  /** The identity that the peer gave when it connected; empty on the connecting side. */
  public byte[] identity() {
    return identity.clone();
  }

  /**
   * The process at the other end of a local connection, as the system reports it (SO_PEERCRED): the
   * one that connected, even if it has ended since.
   *
   * @return its number, or {@link #UNKNOWN_PROCESS} unless the socket is one of epoll
   * @throws IOException if the connection is closed
   */
  public long peerProcess() throws IOException {
    return channel instanceof EpollDomainSocketChannel local
        ? local.peerCredentials().pid()
        : UNKNOWN_PROCESS;
  }

  /** The peer's address, for messages. */
  public String remote() {
    return String.valueOf(channel.remoteAddress());
  }

  /**
   * Sends a frame, which is copied before this returns. Frames of one thread arrive in order.
   *
   * @return false if the connection is not open; the frame is dropped
   * @throws IllegalArgumentException if it is empty or exceeds the loop's limit
   */
  public boolean send(ByteBuffer frame) {
    check(loop, frame);
    if (stage != Stage.OPEN) {
      return false;
    }
    write(framed(loop, frame));
    return true;
  }

  /** Sends a frame like {@link #send(ByteBuffer)}. */
  public boolean send(byte[] frame) {
    return send(ByteBuffer.wrap(frame));
  }

  /** Sends a frame over all open connections among these, from one buffer. */
  static void sendAll(NetLoop loop, Collection<Connection> to, ByteBuffer frame) {
    check(loop, frame);
    ByteBuf out = framed(loop, frame);
    try {
      for (Connection connection : to) {
        if (connection.stage == Stage.OPEN) {
          connection.write(out.retainedDuplicate());
        }
      }
    } finally {
      out.release();
    }
  }

  private static void check(NetLoop loop, ByteBuffer frame) {
    int n = frame.remaining();
    if (n == 0 || n > loop.maxFrame()) {
      throw new IllegalArgumentException("frame of " + n + " bytes, 1 to " + loop.maxFrame());
    }
  }

  private static ByteBuf framed(NetLoop loop, ByteBuffer frame) {
    int n = frame.remaining();
    return loop.allocator().directBuffer(LENGTH + n).writeInt(n).writeBytes(frame.duplicate());
  }

  /** The number of bytes sent that the system has not taken yet. */
  public long pendingBytes() {
    return pending.get();
  }

  /**
   * Whether the peer has the same address, and so runs on the same machine. Valid once the
   * connection is open.
   */
  public boolean isWithinMachine() {
    return channel.localAddress() instanceof InetSocketAddress here
        && channel.remoteAddress() instanceof InetSocketAddress there
        && here.getAddress().equals(there.getAddress());
  }

  /**
   * Starts heartbeats: sends a beat every quarter of {@code timeoutMillis} if nothing else is sent,
   * and closes the connection as {@link Closed.Why#SILENT} when nothing has arrived from the peer
   * for this long, unless {@link ConnectionHandler#onSilent} says otherwise. Both sides must call
   * it, best in {@code onOpen}. Time in which this process itself was late (stopped, starved) does
   * not count.
   */
  public void heartbeat(int timeoutMillis) {
    heartbeat(timeoutMillis, () -> false);
  }

  /** Starts heartbeats with this period instead of a quarter of the timeout. */
  public void heartbeat(int timeoutMillis, int periodMillis) {
    heartbeat(timeoutMillis, TimeUnit.MILLISECONDS.toNanos(periodMillis), () -> false);
  }

  /**
   * Starts heartbeats if starvation of a silent peer is observable: it then has {@link
   * Heartbeat#PATIENCE} times as long.
   *
   * @param starved whether the peer runs or waits for a core; called on the loop's thread
   */
  public void heartbeat(int timeoutMillis, BooleanSupplier starved) {
    heartbeat(timeoutMillis, TimeUnit.MILLISECONDS.toNanos(timeoutMillis) / 4, starved);
  }

  private void heartbeat(int timeoutMillis, long periodNanos, BooleanSupplier starved) {
    if (timeoutMillis < 4) {
      throw new IllegalArgumentException("timeout of " + timeoutMillis + " ms");
    }
    loop.execute(
        () -> {
          boolean running = heartbeat != null;
          Heartbeat wanted =
              new Heartbeat(
                  TimeUnit.MILLISECONDS.toNanos(timeoutMillis), periodNanos, System.nanoTime());
          heartbeat = wanted;
          peerStarved = starved;
          if (!running) {
            scheduleBeat(wanted.pause());
          }
        });
  }

  /** Sets whether the peer is known to be stopped, so that its silence does not count. */
  public void expectSilence(boolean expected) {
    silenceExpected = expected;
  }

  /** Closes the connection after everything that this thread has sent was given to the system. */
  public void close() {
    loop.execute(() -> end(Closed.Why.HERE, "closed here"));
  }

  @Override
  public String toString() {
    return "Connection[" + channel + "]";
  }

  // All methods below run on the loop's thread.

  /** Starts the accepting side: registers the channel. */
  void begin(int proofMillis) {
    register();
    if (handshake == null) {
      decideLocal();
    } else {
      stage = Stage.HANDSHAKE;
      limitProof(proofMillis);
    }
  }

  /** Starts the connecting side. */
  void begin(SocketAddress address, int timeoutMillis, int proofMillis) {
    register();
    limitProof(timeoutMillis);
    channel
        .connect(address)
        .addListener(
            f -> {
              if (!f.isSuccess()) {
                // The system reports other failures with other exceptions, or not before a limit.
                boolean refused = f.cause() instanceof ConnectException;
                end(
                    refused ? Closed.Why.NO_LISTENER : Closed.Why.UNREACHABLE,
                    String.valueOf(f.cause()));
              } else if (handshake == null) {
                open();
              } else {
                stage = Stage.HANDSHAKE;
                endProofLimit();
                limitProof(proofMillis);
                write(copy(handshake.start()));
              }
            });
  }

  private void register() {
    loop.add(this);
    channel.config().setOption(ChannelOption.ALLOCATOR, loop.allocator());
    if (channel instanceof SocketChannel tcp) {
      tcp.config().setTcpNoDelay(true);
    }
    channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0);
    // A peer that can no longer be written to may have sent something before.
    channel.config().setAutoClose(false);
    channel.closeFuture().addListener(f -> loop.execute(this::finished));
    channel.pipeline().addLast(new Bytes());
    loop.register(channel);
  }

  private void limitProof(int millis) {
    proofLimit =
        loop.schedule(
            millis,
            TimeUnit.MILLISECONDS,
            () -> {
              if (stage == Stage.CONNECTING) {
                end(Closed.Why.UNREACHABLE, "no answer within " + millis + " ms");
              } else if (stage == Stage.HANDSHAKE) {
                end(Closed.Why.NOT_AUTHENTIC, "no proof within " + millis + " ms");
              }
            });
  }

  /** Closes it for this reason, unless it is already closed. */
  void end(Closed.Why why, String detail) {
    end(new Closed(why, detail));
  }

  private void end(Closed reason) {
    if (closed == null) {
      closed = reason;
      if (server != null && stage != Stage.OPEN) {
        server.countRefused(this);
      }
      stage = Stage.CLOSED;
      endProofLimit();
      channel.close();
    }
  }

  /** Notifies the handler that the channel is closed. */
  private void finished() {
    switch (stage) {
      case CONNECTING -> end(Closed.Why.UNREACHABLE, "closed while connecting");
      case HANDSHAKE ->
          end(
              Closed.Why.NOT_AUTHENTIC,
              "closed by the peer during the handshake: another job's, or its process ended");
      case OPEN -> end(Closed.Why.PEER, "closed by the peer");
      case CLOSED -> {}
    }
    loop.remove(this);
    ConnectionHandler h = handler;
    Closed reason = closed;
    if (h != null && reason != null) {
      loop.guard(() -> h.onClosed(this, reason));
    }
  }

  private void open() {
    stage = Stage.OPEN;
    endProofLimit();
    if (server != null) {
      server.proven(this);
    }
    ConnectionHandler h = handler;
    if (h != null) {
      call(() -> h.onOpen(this));
    }
  }

  private void endProofLimit() {
    if (proofLimit != null) {
      proofLimit.cancel(false);
      proofLimit = null;
    }
  }

  private void call(Runnable callback) {
    if (!loop.guard(callback)) {
      end(Closed.Why.PROTOCOL, "a handler failed");
    }
  }

  private void decideLocal() {
    if (server != null) {
      try {
        handler = server.acceptor().accept(identity, remote());
        open();
      } catch (Acceptor.Refused e) {
        end(new Closed(Closed.Why.REFUSED, e.code(), String.valueOf(e.getMessage())));
      }
    }
  }

  private void shake(Handshake shake) {
    in.flip();
    while (stage == Stage.HANDSHAKE && in.hasRemaining()) {
      byte[] answer = shake.receive(in);
      if (answer.length > 0) {
        write(copy(answer));
      }
      switch (shake.state()) {
        case DECIDING -> decide(shake);
        case ACCEPTED -> open();
        case REFUSED -> end(new Closed(Closed.Why.REFUSED, shake.code(), "refused by the peer"));
        case FAILED -> end(Closed.Why.NOT_AUTHENTIC, "wrong secret or foreign protocol");
        case AWAIT_HELLO, AWAIT_CHALLENGE, AWAIT_PROOF, AWAIT_VERDICT -> {}
      }
    }
    in.compact();
  }

  private void decide(Handshake shake) {
    if (server == null) {
      throw new IllegalStateException("only the accepting side decides");
    }
    identity = shake.identity();
    try {
      handler = server.acceptor().accept(identity.clone(), remote());
      write(copy(shake.accept()));
      open();
    } catch (Acceptor.Refused e) {
      write(copy(shake.refuse(e.code())));
      end(new Closed(Closed.Why.REFUSED, e.code(), String.valueOf(e.getMessage())));
    }
  }

  private void parse() {
    in.flip();
    while (stage == Stage.OPEN && in.remaining() >= LENGTH) {
      int n = in.getInt(in.position());
      if (n < 0 || n > loop.maxFrame()) {
        end(Closed.Why.PROTOCOL, "frame of " + Integer.toUnsignedString(n) + " bytes");
        break;
      }
      if (in.remaining() < LENGTH + n) {
        break;
      }
      int at = in.position() + LENGTH;
      in.position(at + n);
      ConnectionHandler h = handler;
      if (n > 0 && h != null) {
        ByteBuffer frame = in.slice(at, n);
        call(() -> h.onFrame(this, frame));
      }
    }
    if (in.position() > 0) {
      in.compact();
    } else { // nothing was complete: compact() would move all bytes onto themselves
      in.position(in.limit()).limit(in.capacity());
    }
    if (in.position() == 0 && in.capacity() > KEEP) {
      in = ByteBuffer.allocate(SMALL);
    }
  }

  private void take(ByteBuf bytes) {
    int n = bytes.readableBytes();
    if (in.remaining() < n) {
      int need = in.position() + n;
      in = ByteBuffer.allocate(Math.max(need, 2 * in.capacity())).put(in.flip());
    }
    in.limit(in.position() + n);
    bytes.readBytes(in);
    in.limit(in.capacity());
  }

  private ByteBuf copy(byte[] bytes) {
    return loop.allocator().directBuffer(bytes.length).writeBytes(bytes);
  }

  private void write(ByteBuf out) {
    wrote = true;
    int n = out.readableBytes();
    pending.addAndGet(n);
    channel
        .writeAndFlush(out)
        .addListener(
            f -> {
              pending.addAndGet(-n);
              if (!f.isSuccess() && !deaf && stage != Stage.CLOSED) {
                deaf = true;
                // The peer has probably ended: its last frames are read, and then its end.
                loop.schedule(
                    LAST_FRAMES_MILLIS,
                    TimeUnit.MILLISECONDS,
                    () -> end(Closed.Why.BROKEN, String.valueOf(f.cause())));
              }
            });
  }

  private final class Bytes extends LastHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      try {
        if (stage == Stage.CLOSED) {
          return;
        }
        if (heartbeat != null) {
          heartbeat.received(System.nanoTime());
        }
        ConnectionHandler h = handler;
        if (silent && h != null) {
          silent = false;
          call(() -> h.onHeard(Connection.this));
        }
        take(bytes);
      } finally {
        bytes.release();
      }
      if (stage == Stage.HANDSHAKE && handshake != null) {
        shake(handshake);
      }
      if (stage == Stage.OPEN) {
        parse();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      end(Closed.Why.BROKEN, String.valueOf(cause));
    }
  }

  private boolean closesWhenSilent(String detail) {
    ConnectionHandler h = handler;
    boolean[] closes = {true};
    if (h != null) {
      call(() -> closes[0] = h.onSilent(this, detail));
    }
    return closes[0];
  }

  private void scheduleBeat(long nanos) {
    loop.schedule(nanos, TimeUnit.NANOSECONDS, this::beat);
  }

  private void beat() {
    Heartbeat running = heartbeat;
    if (stage != Stage.OPEN || running == null) {
      return;
    }
    long now = System.nanoTime();
    if (silenceExpected) {
      running.received(now);
    }
    long silence = running.silence(now, peerStarved);
    if (silence > 0 && suspected) {
      String detail = "silent for " + TimeUnit.NANOSECONDS.toMillis(silence) + " ms";
      if (closesWhenSilent(detail)) {
        end(Closed.Why.SILENT, detail);
        return;
      }
      silent = true;
      running.received(now);
      silence = 0;
    }
    // Input may not have been read yet if this thread waited for a core in between.
    suspected = silence > 0;
    if (!wrote && pending.get() == 0) {
      write(loop.allocator().directBuffer(LENGTH).writeInt(0));
    }
    wrote = false;
    scheduleBeat(suspected ? running.pause() / 4 : running.pause());
  }
}
