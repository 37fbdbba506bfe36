package org.fmi.transport.tcp;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramChannel;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.fmi.net.Endpoint;
import org.fmi.net.LastHandler;
import org.fmi.net.NetIo;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.Medium;
import org.fmi.spi.RankConfig;
import org.fmi.spi.Transport;
import org.fmi.wire.Frame;
import org.jspecify.annotations.Nullable;

/**
 * Carries frames over TCP: one connection per pair of ranks, made on first use. The calling thread
 * drives Netty's event loop ({@link CallersLoop}).
 *
 * <p>{@link Wires} makes and ends the wires. This class has what they share while frames move: the
 * handler of the current poll, chunks, and the lists of wires with more to do.
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
final class TcpTransport implements Transport {
  static final String NAME = "tcp";
  static final int MAX_PAYLOAD = 256 << 10;
  static final int EAGER_LIMIT = 64 << 10;

  /**
   * The least time for an attempt to connect: the first request for a connection that is lost is
   * repeated only after a second.
   */
  private static final int LEAST_ANSWER_MILLIS = 2000;

  private final NetIo net;
  private final CallersLoop loop;
  private final Wires wires;
  private final byte[] endpoint;
  private final ArrayList<Wire> busy = new ArrayList<>();
  private ArrayList<Wire> deferred = new ArrayList<>();
  private ArrayList<Wire> spareList = new ArrayList<>();

  final Chunk.Pool chunks = new Chunk.Pool();

  /** The caller's handler, during a poll. */
  @Nullable FrameHandler handler;

  int work;
  private @Nullable Throwable thrown;
  private volatile boolean woken;
  private boolean closed;

  /** The bell's port; 0 before its first use. */
  private int bell;

  TcpTransport(RankConfig config, int epoch, NetIo net, Diagnostics diagnostics)
      throws IOException {
    this(
        config,
        epoch,
        net,
        Math.max(LEAST_ANSWER_MILLIS, config.job().heartbeatMillis()),
        NetUtil.SOMAXCONN,
        diagnostics);
  }

  /**
   * @param answerMillis the time after which an attempt to connect is replaced by a new one
   * @param queue the most connections that wait at one listening socket to be accepted
   * @param diagnostics receives messages for the user
   */
  TcpTransport(
      RankConfig config, int epoch, NetIo net, int answerMillis, int queue, Diagnostics diagnostics)
      throws IOException {
    this.net = net;
    this.loop =
        NetIo.open(
            () ->
                new CallersLoop(net.handlers()) {
                  // Called after a sleep too, before Java's sockets would swallow an interrupt.
                  @Override
                  protected boolean canBlock() {
                    return !woken && !Thread.currentThread().isInterrupted();
                  }
                });
    this.wires = new Wires(this, config, epoch, net, loop, answerMillis, queue, diagnostics);
    try {
      this.endpoint = new Endpoint(config.host(), wires.listen()).bytes();
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Medium medium() {
    return Medium.TCP;
  }

  @Override
  public byte[] endpoint() {
    return endpoint.clone();
  }

  @Override
  public void start(Endpoints addresses) {
    wires.start(addresses);
  }

  @Override
  public boolean reaches(int peer) {
    return wires.reaches(peer);
  }

  @Override
  public int maxPayload() {
    return MAX_PAYLOAD;
  }

  @Override
  public int eagerLimit() {
    return EAGER_LIMIT;
  }

  @Override
  public boolean offer(int peer, Frame frame) {
    loop.enter();
    Wire wire = wires.get(peer);
    if (wire != null) {
      return wire.offer(frame);
    }
    wires.want(peer);
    return false;
  }

  @Override
  public boolean handedOver(int peer) {
    Wire wire = wires.get(peer);
    return wire == null || wire.handedOver();
  }

  @Override
  public int poll(FrameHandler frames) {
    loop.enter();
    work = 0;
    handler = frames;
    try {
      if (!deferred.isEmpty()) {
        takeDeferred();
      }
      int ready = loop.runNow();
      pump();
      if (wires.anyLoss()) {
        wires.report(frames);
      }
      if (thrown != null) {
        rethrow();
      }
      return work + ready;
    } finally {
      handler = null;
    }
  }

  private void takeDeferred() {
    ArrayList<Wire> now = deferred;
    deferred = spareList;
    spareList = now;
    for (int i = 0; i < now.size(); i++) {
      now.get(i).deferred = false;
      now.get(i).consume();
    }
    now.clear();
  }

  private void pump() {
    for (int i = busy.size() - 1; i >= 0; i--) {
      Wire wire = busy.get(i);
      if (!wire.pump()) {
        wire.busy = false;
        busy.set(i, busy.getLast());
        busy.removeLast();
        work++;
      }
    }
  }

  private void rethrow() {
    Throwable t = thrown;
    thrown = null;
    switch (t) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(t);
    }
  }

  /**
   * Stores an exception of a frame handler, past Netty, for the caller of poll. The handler gets no
   * more frames.
   */
  void thrown(Throwable t) {
    thrown = t;
    handler = null;
  }

  @Override
  public void await(long maxNanos) {
    loop.enter();
    pump();
    if (!woken && maxNanos > 0 && deferred.isEmpty() && !wires.anyLoss()) {
      // An interrupt belongs to the program: it must not make every later call return at once.
      boolean interrupted = Thread.interrupted();
      try {
        loop.run(maxNanos, 0);
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
    woken = false;
  }

  @Override
  public int bell() {
    loop.enter();
    if (bell == 0) {
      bell = listenForBell();
    }
    return bell;
  }

  private int listenForBell() {
    DatagramChannel channel;
    try {
      channel = NetIo.open(net::datagram);
    } catch (IOException e) {
      throw new UncheckedIOException("tcp: cannot open a UDP port for wake-ups", e);
    }
    channel.pipeline().addLast(new Silence());
    wires.add(channel);
    ChannelFuture bound = channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    if (!bound.isSuccess()) {
      channel.close();
      throw new UncheckedIOException(
          "tcp: cannot open a UDP port for wake-ups", new IOException(bound.cause()));
    }
    return channel.localAddress().getPort();
  }

  /** Takes datagrams that ring the bell; their arrival is all that matters. */
  private static final class Silence extends LastHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      // An unreadable datagram has rung too.
    }
  }

  /**
   * Unsupported: a rank with this transport sleeps in it, as only its own await sees its sockets.
   */
  @Override
  public boolean arm(int other) {
    throw new UnsupportedOperationException("tcp is the last transport: a rank sleeps in it");
  }

  @Override
  public void wakeup() {
    woken = true;
    loop.wakeup();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    loop.enter();
    wires.close();
    loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
    while (!loop.isTerminated()) {
      loop.runNow();
    }
    chunks.close();
  }

  // For tests.

  /** Whether the system has taken all accepted frames. */
  boolean idle() {
    return busy.isEmpty();
  }

  boolean isConnected(int peer) {
    return wires.get(peer) != null;
  }

  int connections() {
    return wires.channels();
  }

  // For wires.

  void busy(Wire wire) {
    if (!wire.busy) {
      wire.busy = true;
      busy.add(wire);
    }
  }

  void defer(Wire wire) {
    if (!wire.deferred) {
      wire.deferred = true;
      deferred.add(wire);
    }
  }
}
