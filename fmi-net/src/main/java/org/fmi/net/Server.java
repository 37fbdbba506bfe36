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
 * Accepts connections at one address. Connections that are not authenticated yet are few (the
 * oldest is closed for a new one) and short-lived.
 */
// Netty answers each call with a future; failures reach the handlers too.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Server {
  static final int MAX_UNPROVEN = 1024;

  /** The least time for a peer's authentication. */
  static final int PROOF_MILLIS = 5000;

  /** Peers need no authentication. */
  static final int NO_PROOF = 0;

  private final NetLoop loop;
  private final ServerChannel channel;
  private final Acceptor acceptor;
  private final int proofMillis;
  private final Consumer<String> warning;
  private final AtomicLong refused = new AtomicLong();

  /** Unauthenticated connections, in order of arrival. Used on the loop's thread. */
  private final LinkedHashSet<Connection> unproven = new LinkedHashSet<>();

  /** Whether the user knows that connections cannot be accepted. Used on the loop's thread. */
  private boolean deaf;

  /**
   * @param proofMillis the time limit for a peer's authentication, or {@link #NO_PROOF}
   * @param warning receives messages for the user
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

  /** The listening port; -1 for a local socket. */
  public int port() {
    return channel.localAddress() instanceof InetSocketAddress a ? a.getPort() : -1;
  }

  /**
   * The number of connections closed because their authentication failed or took too long, or
   * because they were refused.
   */
  public long refused() {
    return refused.get();
  }

  /** Stops listening; existing connections stay. Any thread. */
  public void close() {
    channel.close();
  }

  Acceptor acceptor() {
    return acceptor;
  }

  void proven(Connection connection) {
    unproven.remove(connection);
  }

  void countRefused(Connection connection) {
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

    /**
     * Handles a failed accept, mostly for lack of file descriptors: an immediate retry would spin.
     */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (!deaf) {
        deaf = true;
        warning.accept(
            "cannot accept a connection at "
                + channel.localAddress()
                + ": "
                + cause.getMessage()
                + "; retrying every second. Raise the limit on open files (ulimit -n)");
      }
      channel.config().setAutoRead(false);
      loop.schedule(1, TimeUnit.SECONDS, () -> channel.config().setAutoRead(true));
    }
  }
}
