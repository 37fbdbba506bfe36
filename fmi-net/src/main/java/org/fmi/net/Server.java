package org.fmi.net;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ServerChannel;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Accepts connections at one address. Those that have not proven themselves yet are few (the oldest
 * is closed for a new one) and short-lived.
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Server {
  static final int MAX_UNPROVEN = 1024;

  /** The least time a peer has to prove itself. */
  static final int PROOF_MILLIS = 5000;

  /** Peers need not prove anything. */
  static final int NO_PROOF = 0;

  private final NetLoop loop;
  private final ServerChannel channel;
  private final Acceptor acceptor;
  private final int proofMillis;
  private final Consumer<String> warning;
  private final AtomicLong refused = new AtomicLong();

  /** In the order they came. Used on the loop's thread. */
  private final LinkedHashSet<Connection> unproven = new LinkedHashSet<>();

  /** Whether a line has said that connections cannot be accepted. Used on the loop's thread. */
  private boolean deaf;

  /**
   * @param proofMillis how long a peer may take to prove itself, or {@link #NO_PROOF}
   * @param warning gets what the user should know, a line each
   */
  Server(
      NetLoop loop,
      ServerChannel channel,
      Acceptor acceptor,
      int proofMillis,
      Consumer<String> warning) {
    this.loop = loop;
    this.channel = channel;
    this.acceptor = acceptor;
    this.proofMillis = proofMillis;
    this.warning = warning;
    channel.pipeline().addLast(new Incoming());
  }

  /** The port it listens at; -1 for a local socket. */
  public int port() {
    return channel.localAddress() instanceof InetSocketAddress a ? a.getPort() : -1;
  }

  /** Connections that were closed because they were not proven, not in time, or not wanted. */
  public long refused() {
    return refused.get();
  }

  /** Stops listening; connections made so far stay. Any thread. */
  public void close() {
    channel.close();
  }

  Acceptor acceptor() {
    return acceptor;
  }

  void proven(Connection connection) {
    unproven.remove(connection);
  }

  void refusedOne(Connection connection) {
    unproven.remove(connection);
    refused.incrementAndGet();
  }

  private final class Incoming extends LastHandler {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      boolean authenticate = proofMillis != NO_PROOF;
      if (authenticate && unproven.size() >= MAX_UNPROVEN) {
        unproven.getFirst().end(Closed.Why.NOT_AUTHENTIC, "made room for a newer connection");
      }
      Connection connection =
          Connection.accepted(loop, (Channel) message, Server.this, authenticate);
      if (authenticate) {
        unproven.add(connection);
      }
      connection.begin(proofMillis);
    }

    /** Out of file descriptors, mostly: accepting at full speed would only spin. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (!deaf) {
        deaf = true;
        warning.accept(
            "cannot accept a connection at "
                + channel.localAddress()
                + ": "
                + cause.getMessage()
                + "; it is tried again every second. More open files (ulimit -n) would help");
      }
      channel.config().setAutoRead(false);
      loop.schedule(1, TimeUnit.SECONDS, () -> channel.config().setAutoRead(true));
    }
  }
}
