package org.fmi.transport.tcp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.fmi.net.Endpoint;
import org.fmi.net.Handshake;
import org.fmi.net.LastHandler;
import org.fmi.net.NetIo;
import org.fmi.net.PeerIdentity;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.Endpoints;
import org.fmi.spi.FrameHandler;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * Makes and ends a transport's connections, one {@link Wire} each, and reports lost peers.
 *
 * <p><b>Simultaneous dials.</b> Either side may dial, and both may at once. Then the connection
 * dialled by the lower rank survives:
 *
 * <pre>
 *   a dials b, b dials a, a &lt; b
 *
 *   a gets b's proof while dialling:  refuses it ({@link #CROSSED}), waits for b's verdict
 *   b gets a's proof while dialling:  accepts it, drops its own
 *   b gets CROSSED:                   waits for a's proof
 * </pre>
 *
 * The connection that a refused stays open without use until b drops it, so that b notices if a
 * dies in the meantime.
 *
 * <p><b>No timer</b> limits a handshake: both sides make progress only when their programs
 * communicate, and may compute for minutes in between. Instead, the number of unauthenticated
 * connections is limited: the oldest is closed when there are too many.
 *
 * <p><b>Lost</b> is a peer that cannot be reached, whose connection breaks, whose system no longer
 * {@link Answers answers}, or that refuses. A peer that ends a connection without a verdict may
 * only have too many of them: it is dialled again after a while, until the epoch ends. A peer whose
 * system does not answer is dialled again too, but given up after {@value #LEAST_ATTEMPTS} attempts
 * in a row, and twice the heartbeat's timeout: the network is cut, or a firewall is in between.
 *
 * <p><b>A system that answers</b> is no evidence of a process that does: that one may compute, wait
 * for a core, or be stopped. Its daemon decides whether it lives, and its dialler waits. For this,
 * the system must answer whatever the process does: the queues of its listening sockets hold twice
 * as many connections as there are ranks. More than a queue's are listened for by several sockets
 * at one port, among which the system spreads connections evenly.
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
final class Wires {
  /** Refusal: both dial, and the other side's connection survives. */
  static final int CROSSED = 1;

  /** Refusal: another job, epoch, rank or purpose than the listener's. */
  static final int STRANGER = 2;

  /** Refusal: this pair already has a connection. */
  static final int DUPLICATE = 3;

  private static final int REDIAL_MILLIS = 100;

  /** The pause after a failed accept. */
  private static final int RETRY_MILLIS = 1000;

  /** The least number of unanswered attempts to connect before the peer is lost. */
  private static final int LEAST_ATTEMPTS = 2;

  private final TcpTransport transport;
  private final RankConfig config;
  private final int epoch;
  private final NetIo net;
  private final CallersLoop loop;
  private final int answerMillis;
  private final Diagnostics diagnostics;
  private final SecureRandom random = new SecureRandom();
  private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
  private final int queue;
  private final List<ServerChannel> listeners = new ArrayList<>();

  /** The addresses of the peers. */
  private Endpoints endpoints = Endpoints.of();

  /** By rank: the connection in use. */
  private final @Nullable Wire[] wires;

  /** By rank: this side's attempt to make one. */
  private final @Nullable Wire[] dialling;

  private final boolean[] lost;

  /** By rank: whether the user knows that it does not answer. */
  private final boolean[] silent;

  /** By rank: the number of unanswered attempts to connect in a row. */
  private final int[] unanswered;

  /** Whether the user knows that connections cannot be accepted. */
  private boolean deaf;

  /** The number of attempts in a row in which no connection could be accepted. */
  private int refusals;

  /** Losses to report at the next poll, with their reasons. */
  private final ArrayDeque<Loss> losses = new ArrayDeque<>();

  private final LinkedHashSet<Wire> unproven = new LinkedHashSet<>();

  /** All open channels. */
  private final LinkedHashSet<Channel> channels = new LinkedHashSet<>();

  private boolean closing;

  /** Whether {@link #watch} is called periodically. */
  private boolean watching;

  private record Loss(int peer, String reason) {}

  /**
   * @param answerMillis the time after which an attempt to connect is replaced by a new one
   * @param queue the most connections that wait at one listening socket to be accepted
   * @param diagnostics receives messages for the user
   */
  Wires(
      TcpTransport transport,
      RankConfig config,
      int epoch,
      NetIo net,
      CallersLoop loop,
      int answerMillis,
      int queue,
      Diagnostics diagnostics) {
    this.transport = transport;
    this.config = config;
    this.epoch = epoch;
    this.net = net;
    this.loop = loop;
    this.answerMillis = answerMillis;
    this.diagnostics = diagnostics;
    this.wires = new Wire[config.size()];
    this.dialling = new Wire[config.size()];
    this.lost = new boolean[config.size()];
    this.silent = new boolean[config.size()];
    this.unanswered = new int[config.size()];
    this.queue = queue;
  }

  /**
   * Accepts connections from now on.
   *
   * @return the port
   * @throws IOException if it cannot listen at the host's address
   */
  int listen() throws IOException {
    InetSocketAddress address = Endpoint.listening(config.host());
    int sockets = config.size() <= queue ? 1 : 2 * Math.ceilDiv(config.size(), queue);
    for (int i = 0; i < sockets; i++) {
      address = listen(address, sockets > 1);
    }
    return address.getPort();
  }

  private InetSocketAddress listen(InetSocketAddress address, boolean shared) throws IOException {
    ServerChannel listener = NetIo.open(net::server);
    listeners.add(listener);
    listener.config().setOption(ChannelOption.SO_BACKLOG, queue);
    if (shared) {
      listener.config().setOption(sharedPort(), true);
    }
    listener.pipeline().addLast(new Incoming());
    register(listener);
    ChannelFuture bound = listener.bind(address);
    if (!bound.isSuccess()) {
      throw new IOException("tcp: cannot listen at " + address, bound.cause());
    }
    return (InetSocketAddress) listener.localAddress();
  }

  private ChannelOption<Boolean> sharedPort() {
    return switch (net) {
      case EPOLL -> EpollChannelOption.SO_REUSEPORT;
      case NIO -> NioChannelOption.of(StandardSocketOptions.SO_REUSEPORT);
    };
  }

  private void register(Channel channel) {
    channel.config().setOption(ChannelOption.ALLOCATOR, allocator);
    channel.unsafe().register(loop, new DefaultChannelPromise(channel, loop));
  }

  /** Registers a channel with the loop, until all are closed. */
  void add(Channel channel) {
    channels.add(channel);
    channel.closeFuture().addListener(f -> channels.remove(channel));
    register(channel);
  }

  /** See {@link org.fmi.spi.Transport#start}. */
  void start(Endpoints addresses) {
    endpoints = addresses;
  }

  boolean reaches(int peer) {
    return peer != config.rank() && endpoints.has(peer);
  }

  /** The connection to a peer; null if there is none. */
  @Nullable Wire get(int peer) {
    return wires[peer];
  }

  /** The number of open channels. */
  int channels() {
    return channels.size();
  }

  int heartbeatMillis() {
    return config.job().heartbeatMillis();
  }

  boolean anyLoss() {
    return !losses.isEmpty();
  }

  void report(FrameHandler frames) {
    for (Loss loss; (loss = losses.poll()) != null; ) {
      transport.work++;
      frames.onPeerLost(loss.peer, loss.reason);
    }
  }

  void close() {
    closing = true;
    listeners.forEach(Channel::close);
    for (Channel channel : channels.toArray(Channel[]::new)) {
      channel.close();
    }
  }

  // Dialling.

  /** Starts to connect to a peer, unless this is under way, or the peer is lost. */
  void want(int peer) {
    if (dialling[peer] == null && !lost[peer]) {
      dial(peer);
    }
  }

  private void dial(int peer) {
    if (!reaches(peer)) {
      throw new IllegalArgumentException("rank " + peer + " is not reached by tcp");
    }
    Endpoint to = Endpoint.of(endpoints.get(peer));
    byte[] identity =
        new PeerIdentity(TcpTransport.NAME, config.jobId(), epoch, config.rank(), peer).bytes();
    Handshake handshake = Handshake.connecting(config.secret(), random, identity);
    Wire wire = new Wire(transport, this, socket(peer), handshake, peer);
    dialling[peer] = wire;
    prepare(wire);
    long begin = System.nanoTime();
    wire.channel
        .connect(
            new InetSocketAddress(to.host(), to.port())) // an unknown host fails like any other
        .addListener(
            f -> {
              if (f.isSuccess()) {
                unanswered[peer] = 0;
              } else {
                unreached(wire, f.cause(), System.nanoTime() - begin);
              }
            });
  }

  private Channel socket(int peer) {
    try {
      return NetIo.open(net::socket);
    } catch (IOException e) {
      throw new UncheckedIOException("tcp: no socket for a connection to rank " + peer, e);
    }
  }

  private void unreached(Wire wire, Throwable cause, long nanos) {
    wire.channel.close(); // Netty does so only after a timeout
    int peer = wire.peer;
    if (dialling[peer] != wire) {
      return;
    }
    if (nanos < TimeUnit.MILLISECONDS.toNanos(answerMillis)
        && !(cause instanceof ConnectTimeoutException)) {
      giveUp(peer, String.valueOf(cause.getMessage()));
      return;
    }
    // Either there was no answer, or this rank has computed while the system gave up: the same.
    if (cause instanceof ConnectTimeoutException) {
      warnOfSilence(peer);
    }
    if (++unanswered[peer] < mostAttempts()) {
      redial(wire);
    } else {
      giveUp(peer, "no answer to " + unanswered[peer] + " attempts to connect");
    }
  }

  private void giveUp(int peer, String reason) {
    dialling[peer] = null;
    lose(peer, reason);
  }

  private long mostAttempts() {
    return Math.max(LEAST_ATTEMPTS, Math.ceilDiv(2L * heartbeatMillis(), answerMillis));
  }

  private void warnOfSilence(int peer) {
    if (silent[peer]) {
      return;
    }
    silent[peer] = true;
    Endpoint to = Endpoint.of(endpoints.get(peer));
    diagnostics.report(
        "rank %d has had no answer from rank %d at %s:%d for %d s, and dials again; is the network cut, or is a firewall in between?"
            .formatted(
                config.rank(),
                peer,
                to.host(),
                to.port(),
                TimeUnit.MILLISECONDS.toSeconds(answerMillis)));
  }

  /** Dials again after a while; until then the failed attempt prevents offers from dialling. */
  private void redial(Wire wire) {
    if (closing) {
      return;
    }
    loop.schedule(
        () -> {
          if (dialling[wire.peer] == wire) {
            dialling[wire.peer] = null; // if no socket is available, the next offer reports it
            dial(wire.peer);
          }
        },
        REDIAL_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  private void prepare(Wire wire) {
    Channel channel = wire.channel;
    channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, answerMillis);
    channel.config().setRecvByteBufAllocator(wire);
    ((SocketChannel) channel).config().setTcpNoDelay(true);
    channel.pipeline().addLast(wire);
    add(channel);
    if (!watching) {
      watching = true;
      scheduleWatch();
    }
  }

  private void scheduleWatch() {
    loop.schedule((Runnable) this::watch, Answers.pause(heartbeatMillis()), TimeUnit.NANOSECONDS);
  }

  /** Ends connections whose peers' systems no longer answer. */
  private void watch() {
    if (closing) {
      return;
    }
    long now = System.nanoTime();
    for (int peer = 0; peer < wires.length; peer++) {
      watch(wires[peer], now);
      watch(dialling[peer], now);
    }
    scheduleWatch();
  }

  private static void watch(@Nullable Wire wire, long now) {
    long nanos = wire == null ? 0 : wire.answers.missing(now);
    if (wire != null && nanos > 0) {
      wire.fail("no answer for " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }
  }

  // Accepting.

  private final class Incoming extends LastHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      refusals = 0;
      if (unproven.size() >= 2 * config.size() + 256) {
        unproven.removeFirst().fail("made room for a newer connection");
      }
      Handshake handshake = Handshake.accepting(config.secret(), random);
      Wire wire = new Wire(transport, Wires.this, (Channel) message, handshake, -1);
      unproven.add(wire);
      prepare(wire);
    }

    /**
     * Handles a failed accept, mostly for lack of file descriptors: an immediate retry would spin.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (!deaf) {
        deaf = true;
        diagnostics.report(
            "rank %d cannot accept a connection: %s; it retries every second while its peers wait. Raise the limit on open files (ulimit -n)"
                .formatted(config.rank(), cause.getMessage()));
      }
      if (++refusals == mostRefusals()) {
        IOException refused = cause instanceof IOException e ? e : new IOException(cause);
        transport.thrown(new UncheckedIOException("tcp: cannot accept connections", refused));
      }
      ChannelConfig listener = context.channel().config();
      listener.setAutoRead(false);
      loop.schedule(() -> listener.setAutoRead(true), RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** As many as there are in the time after which a peer would be lost. */
    private int mostRefusals() {
      int ofEach = Math.max(LEAST_ATTEMPTS, 1 + Math.ceilDiv(2 * heartbeatMillis(), RETRY_MILLIS));
      return ofEach * listeners.size();
    }
  }

  /** Accepts or refuses the connection of an authenticated peer. */
  void decide(Wire wire) {
    unproven.remove(wire);
    PeerIdentity who = PeerIdentity.of(wire.handshake.identity());
    if (who == null
        || !who.purpose().equals(TcpTransport.NAME)
        || !who.job().equals(config.jobId())
        || who.epoch() != epoch
        || who.to() != config.rank()
        || who.from() < 0
        || who.from() >= config.size()
        || who.from() == config.rank()) {
      wire.write(wire.handshake.refuse(STRANGER));
      wire.fail("not for this rank and epoch");
      return;
    }
    int from = who.from();
    Wire mine = dialling[from];
    if (wires[from] != null || lost[from]) {
      wire.write(wire.handshake.refuse(DUPLICATE));
      wire.fail("there is a connection already");
    } else if (mine != null && mine.channel.isOpen() && config.rank() < from) {
      wire.write(wire.handshake.refuse(CROSSED)); // stays open until the peer drops it
    } else {
      wire.peer = from;
      wire.write(wire.handshake.accept());
      opened(wire);
    }
  }

  /** Opens a connection on which both sides have agreed. */
  void opened(Wire wire) {
    Wire mine = dialling[wire.peer];
    dialling[wire.peer] = null;
    if (mine != null && mine != wire) {
      mine.channel.close();
    }
    wire.open = true;
    wires[wire.peer] = wire;
    transport.work++;
  }

  /** Handles the peer's refusal of this connection. */
  void refused(Wire wire) {
    int code = wire.handshake.code();
    if (code != CROSSED) {
      wire.fail("refused by the peer, code " + code);
    }
  }

  void closed(Wire wire) {
    unproven.remove(wire);
    int peer = wire.peer;
    if (closing || peer < 0) {
      return;
    }
    if (wires[peer] == wire) {
      wires[peer] = null;
      lose(peer, wire.trouble);
    } else if (dialling[peer] == wire) {
      boolean undecided =
          wire.handshake.state() == Handshake.State.AWAIT_VERDICT
              || wire.handshake.state() == Handshake.State.AWAIT_CHALLENGE;
      if (undecided) {
        redial(wire);
      } else {
        giveUp(peer, wire.trouble);
      }
    }
  }

  private void lose(int peer, String reason) {
    if (!lost[peer]) {
      lost[peer] = true;
      losses.add(new Loss(peer, reason));
    }
  }
}
