package org.fmi.logring;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.fmi.core.spi.FailureDetector;
import org.fmi.core.spi.RankConfig;
import org.fmi.logring.LogRing.Notice;
import org.fmi.net.Acceptor.Refused;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Endpoint;
import org.fmi.net.Loop;
import org.fmi.net.PeerIdentity;
import org.fmi.net.Server;
import org.jspecify.annotations.Nullable;

/** Runs a {@link LogRing} on real connections, on one thread of its own, for one epoch. */
final class LogRingDetector implements FailureDetector {
  private static final String PURPOSE = "logring";
  private static final int MAX_FRAME = 64;
  private static final byte NOTICE = 1;
  private static final byte GOODBYE = 2;
  private static final int NOT_EXPECTED = 1;

  private final RankConfig config;
  private final int epoch;
  private final Listener listener;
  private final LogRing ring;
  private final Set<Integer> neighbours;
  private final Loop loop;
  private final Server server;

  /** Open links by rank; used on the loop's thread. */
  private final Map<Integer, Connection> links = new HashMap<>();

  // What connect() waits for; guarded by this.
  private int linksMade;
  private @Nullable String failure;
  private boolean closed;

  private LogRingDetector(RankConfig config, int epoch, Listener listener) throws IOException {
    this.config = config;
    this.epoch = epoch;
    this.listener = listener;
    this.ring = new LogRing(config.size(), config.rank(), config.logRingBase());
    this.neighbours = ring.neighbours();
    this.loop = Loop.open("fmi-logring", config.secret(), MAX_FRAME);
    this.server = loop.listen(Endpoint.listening(config.host()), this::accept);
  }

  static LogRingDetector open(RankConfig config, int epoch, Listener listener) throws IOException {
    return new LogRingDetector(config, epoch, listener);
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
  public void connect(byte[][] endpoints) throws IOException {
    for (int peer : ring.connectsTo()) {
      byte[] identity =
          new PeerIdentity(PURPOSE, config.jobId(), epoch, config.rank(), peer).bytes();
      Link link = new Link(peer);
      try {
        loop.connect(
            Endpoint.of(endpoints[peer]).address(),
            identity,
            config.heartbeatTimeoutMillis(),
            link);
      } catch (UnknownHostException e) {
        throw new IOException(
            "rank " + peer + " cannot be reached: unknown host " + e.getMessage(), e);
      }
    }
    awaitLinks();
  }

  private synchronized void awaitLinks() throws IOException {
    while (linksMade < neighbours.size() && failure == null && !closed) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while the log-ring was being connected", e);
      }
    }
    if (failure != null || closed) {
      throw new IOException(
          "the log-ring of epoch "
              + epoch
              + " cannot be connected: "
              + (failure == null ? "closed" : failure));
    }
  }

  @Override
  public void announce(int rank, String reason) {
    onLoop(() -> tell(ring.lost(rank), -1, reason));
  }

  /** Passes a notice on, then tells of it; does nothing if there is none. */
  private void tell(@Nullable Notice notice, int from, String reason) {
    if (notice == null) {
      return;
    }
    Notice next = LogRing.passOn(notice);
    links.forEach(
        (peer, link) -> {
          if (peer != from && peer != notice.failed()) {
            link.send(frame(next));
          }
        });
    listener.onFailure(notice.failed(), notice.hops(), reason);
    synchronized (this) {
      failure = "rank " + notice.failed() + " has failed: " + reason;
      notifyAll();
    }
  }

  private static byte[] frame(Notice notice) {
    return ByteBuffer.allocate(9).put(NOTICE).putInt(notice.failed()).putInt(notice.hops()).array();
  }

  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      notifyAll();
    }
    onLoop(() -> links.values().forEach(link -> link.send(new byte[] {GOODBYE})));
    loop.close();
  }

  private void onLoop(Runnable task) {
    if (loop.inLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // Closed meanwhile: there are no links left to use.
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** The connection to one neighbour. */
  private final class Link implements ConnectionHandler {
    private final int peer;
    private boolean goodbye;

    Link(int peer) {
      this.peer = peer;
    }

    @Override
    public void onOpen(Connection connection) {
      links.put(peer, connection);
      connection.heartbeat(config.heartbeatTimeoutMillis());
      synchronized (LogRingDetector.this) {
        linksMade++;
        LogRingDetector.this.notifyAll();
      }
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      switch (frame.get()) {
        case NOTICE -> {
          Notice notice = new Notice(frame.getInt(), frame.getInt());
          if (notice.failed() >= 0 && notice.failed() < config.size()) {
            tell(ring.heard(notice), peer, "notice of rank " + peer);
          }
        }
        case GOODBYE -> goodbye = true;
        default -> connection.close();
      }
    }

    @Override
    public void onClosed(Connection connection, Closed how) {
      links.remove(peer, connection);
      if (!goodbye && !isClosed()) {
        tell(ring.lost(peer), peer, how.detail());
      }
    }
  }
}
