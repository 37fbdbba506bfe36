package org.fmi.logring;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.fmi.net.Acceptor.Refused;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Endpoint;
import org.fmi.net.NetLoop;
import org.fmi.net.PeerIdentity;
import org.fmi.net.Server;
import org.fmi.spi.Diagnostics;
import org.fmi.spi.RankConfig;

/** Links over TCP. */
final class TcpLinks implements HeartLinks {
  static final String NAME = "tcp";

  private static final String PURPOSE = "logring";
  private static final int NOT_EXPECTED = 1;

  /**
   * The number of heartbeat timeouts for which a neighbour on the same machine may be silent, and
   * which any neighbour may take to authenticate. A stopped process on this machine is detected
   * after one timeout by its daemon, which can distinguish it from a process that waits for a core,
   * as ranks do when many of them start on few cores.
   */
  private static final int PATIENCE = 6;

  /**
   * The least time for an attempt to connect. The peer's system answers at once, whatever its
   * processes do, but the first request for a connection that is lost is repeated only after a
   * second.
   */
  private static final int LEAST_CONNECT_MILLIS = 2000;

  private final RankConfig config;
  private final int epoch;
  private final Set<Integer> neighbours;
  private final Handler handler;
  private final boolean beating;
  private final NetLoop loop;
  private final Server server;

  /** The open links, by rank; used on the loop's thread. */
  private final Map<Integer, Connection> links = new HashMap<>();

  private TcpLinks(
      RankConfig config,
      int epoch,
      Set<Integer> neighbours,
      Handler handler,
      boolean beating,
      Diagnostics diagnostics)
      throws IOException {
    this.beating = beating;
    this.config = config;
    this.epoch = epoch;
    this.neighbours = neighbours;
    this.handler = handler;
    this.loop =
        NetLoop.openIfPermitted("fmi-logring", config.secret(), MAX_FRAME, diagnostics::report);
    try {
      this.server =
          loop.listen(Endpoint.listening(config.host()), patienceMillis(config), this::accept);
    } catch (IOException e) {
      loop.close();
      throw e;
    }
  }

  /** Opens links with heartbeats in both directions. */
  static RingDetector.Opening<TcpLinks> beating(Diagnostics diagnostics) {
    return (config, epoch, neighbours, handler) ->
        new TcpLinks(config, epoch, neighbours, handler, true, diagnostics);
  }

  /** Opens links without heartbeats. */
  static RingDetector.Opening<TcpLinks> silent(Diagnostics diagnostics) {
    return (config, epoch, neighbours, handler) ->
        new TcpLinks(config, epoch, neighbours, handler, false, diagnostics);
  }

  /** The time in which the system of any neighbour makes a connection, unless it is cut off. */
  private static int connectMillis(RankConfig config) {
    return Math.max(LEAST_CONNECT_MILLIS, config.job().heartbeatMillis());
  }

  private static int patienceMillis(RankConfig config) {
    return PATIENCE * config.job().heartbeatMillis();
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte[] endpoint() {
    return new Endpoint(config.host(), server.port()).bytes();
  }

  private ConnectionHandler accept(byte[] bytes, String remote) throws Refused {
    PeerIdentity peer = PeerIdentity.of(bytes);
    if (peer == null
        || !peer.purpose().equals(PURPOSE)
        || !peer.job().equals(config.jobId())
        || peer.epoch() != epoch
        || peer.to() != config.rank()
        || !neighbours.contains(peer.from())
        || links.containsKey(peer.from())) {
      throw new Refused(NOT_EXPECTED, "not expected in epoch " + epoch + ": " + peer);
    }
    return new Link(peer.from());
  }

  @Override
  public void connect(int peer, byte[] endpoint) throws IOException {
    byte[] identity = new PeerIdentity(PURPOSE, config.jobId(), epoch, config.rank(), peer).bytes();
    try {
      loop.connect(
          Endpoint.of(endpoint).address(),
          identity,
          connectMillis(config),
          patienceMillis(config),
          new Link(peer));
    } catch (UnknownHostException e) {
      throw new IOException(
          "rank " + peer + " cannot be reached: unknown host " + e.getMessage(), e);
    } catch (RejectedExecutionException e) {
      throw new IOException("the overlay of epoch " + epoch + " cannot be connected: closed", e);
    }
  }

  @Override
  public void send(int peer, byte[] frame) {
    execute(
        () -> {
          Connection link = links.get(peer);
          if (link != null) {
            link.send(frame);
          }
        });
  }

  private void watch(Connection link) {
    if (beating) {
      link.heartbeat(
          link.isWithinMachine() ? patienceMillis(config) : config.job().heartbeatMillis(),
          config.job().detection().periodMillis());
    }
  }

  @Override
  public void watchAnew(int peer) {
    execute(
        () -> {
          Connection link = links.get(peer);
          if (link != null) {
            watch(link);
          }
        });
  }

  @Override
  public void execute(Runnable task) {
    if (loop.inLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // Closed in the meantime: there are no links left.
    }
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public void after(long nanos, Runnable task) {
    try {
      ScheduledFuture<?> _ = loop.schedule(nanos, TimeUnit.NANOSECONDS, task);
    } catch (RejectedExecutionException e) {
      // Closed in the meantime.
    }
  }

  @Override
  public int patience(int peer) {
    Connection link = links.get(peer);
    return link != null && link.isWithinMachine() ? PATIENCE : 1;
  }

  @Override
  public void close() {
    loop.close();
  }

  /** The connection to one neighbour. */
  private final class Link implements ConnectionHandler {
    private final int peer;

    Link(int peer) {
      this.peer = peer;
    }

    @Override
    public void onOpen(Connection connection) {
      links.put(peer, connection);
      watch(connection);
      handler.onOpen(peer);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      if (!handler.onFrame(peer, frame)) {
        connection.close();
      }
    }

    @Override
    public void onClosed(Connection connection, Closed how) {
      links.remove(peer, connection);
      if (links.containsKey(peer)) {
        return; // both ends have connected to each other
      }
      if (how.why() == Closed.Why.UNREACHABLE) {
        handler.onUnreachable(peer, how.detail());
      } else {
        handler.onClosed(peer, how.detail());
      }
    }

    @Override
    public boolean onSilent(Connection connection, String detail) {
      return handler.onSilent(peer, detail);
    }

    @Override
    public void onHeard(Connection connection) {
      handler.onHeard(peer);
    }
  }
}
