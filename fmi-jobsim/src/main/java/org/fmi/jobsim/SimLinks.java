package org.fmi.jobsim;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.fmi.logring.HeartLinks;
import org.fmi.logring.HeartRingDetector;
import org.fmi.logring.LogRingDetector;
import org.fmi.logring.RingDetector;
import org.fmi.net.Handshake;
import org.fmi.spi.FailureDetectorProvider;
import org.fmi.spi.RankClock;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.SimPort;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimStream;
import org.jspecify.annotations.Nullable;

/**
 * Links of an overlay over simulated connections: does what TcpLinks does over real ones, with the
 * real handshake.
 */
final class SimLinks implements HeartLinks, SimPort.Acceptor {
  /** Kind of link of the transport that reaches all ranks: a log-ring can always use it. */
  private static final String NAME = "sim";

  /** Of numbers that nothing in a simulation depends on. */
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final byte[] NOTHING = {};
  private static final int NOT_EXPECTED = 1;
  private static final long CLOSING_NANOS = 500;

  private static final int IDENTITY_BYTES = 3 * Integer.BYTES;

  private final SimProcess process;
  private final RankConfig config;
  private final int epoch;
  private final Set<Integer> neighbours;
  private final Handler handler;
  private final boolean beating;
  private final SimPort port;

  /** Open connections, by rank. */
  private final Map<Integer, SimStream> links = new TreeMap<>();

  private boolean closed;

  /**
   * @param beating whether silence is noticed here
   */
  SimLinks(
      SimProcess process,
      RankConfig config,
      int epoch,
      Set<Integer> neighbours,
      Handler handler,
      boolean beating) {
    this.beating = beating;
    this.process = process;
    this.config = config;
    this.epoch = epoch;
    this.neighbours = neighbours;
    this.handler = handler;
    this.port = process.listen(this);
  }

  /** The detectors of a simulated process. */
  static FailureDetectorProvider detectors(SimProcess process) {
    return (config, epoch, listener, diagnostics) -> {
      ClockGate gate = new ClockGate(process.clock());
      return switch (config.job().detection().overlay()) {
        case LOGRING -> {
          LogRingDetector detector = new LogRingDetector(config, epoch, listener, gate);
          detector.offer((c, e, peers, to) -> new SimLinks(process, c, e, peers, to, true));
          yield detector;
        }
        case HEARTRING -> {
          HeartRingDetector detector = new HeartRingDetector(config, epoch, listener, gate);
          detector.open((c, e, peers, to) -> new SimLinks(process, c, e, peers, to, false));
          yield detector;
        }
      };
    };
  }

  private record ClockGate(RankClock clock) implements RingDetector.Gate {
    @Override
    public void await() {
      clock.await(Long.MAX_VALUE);
    }

    @Override
    public void open() {
      clock.wakeup();
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte[] endpoint() {
    return port.endpoint();
  }

  @Override
  public SimStream.@Nullable Handler accept(SimPort.Caller caller) {
    Handshake handshake = Handshake.accepting(config.secret(), RANDOM);
    byte[] said = caller.start();
    while (said.length > 0 && handshake.state() != Handshake.State.DECIDING) {
      byte[] answer = handshake.receive(ByteBuffer.wrap(said));
      said = answer.length == 0 ? NOTHING : caller.answer(answer);
    }
    if (handshake.state() != Handshake.State.DECIDING) {
      return null;
    }
    ByteBuffer in = ByteBuffer.wrap(handshake.identity());
    int theirEpoch = in.getInt();
    int from = in.getInt();
    int to = in.getInt();
    boolean expected =
        !closed
            && theirEpoch == epoch
            && to == config.rank()
            && neighbours.contains(from)
            && !links.containsKey(from);
    caller.answer(expected ? handshake.accept() : handshake.refuse(NOT_EXPECTED));
    return expected ? new Link(from) : null;
  }

  @Override
  public SimPort.Caller stranger() {
    byte[] secret = config.secret().clone();
    secret[0]++;
    int neighbour = neighbours.stream().findFirst().orElse(config.rank());
    return new Calling(secret, identity(neighbour, config.rank()));
  }

  private byte[] identity(int from, int to) {
    return ByteBuffer.allocate(IDENTITY_BYTES).putInt(epoch).putInt(from).putInt(to).array();
  }

  /** The connecting side of the handshake. */
  private static final class Calling implements SimPort.Caller {
    private final Handshake handshake;

    Calling(byte[] secret, byte[] identity) {
      this.handshake = Handshake.connecting(secret, RANDOM, identity);
    }

    @Override
    public byte[] start() {
      return handshake.start();
    }

    @Override
    public byte[] answer(byte[] bytes) {
      return handshake.receive(ByteBuffer.wrap(bytes));
    }
  }

  @Override
  public void connect(int peer, byte[] endpoint) throws IOException {
    if (closed) {
      throw new IOException("the overlay of epoch " + epoch + " cannot be connected: closed");
    }
    long timeout = config.job().heartbeatMillis() * 1_000_000L;
    Calling calling = new Calling(config.secret(), identity(config.rank(), peer));
    process.connect(endpoint, calling, timeout, new Link(peer));
  }

  @Override
  public void send(int peer, byte[] frame) {
    execute(
        () -> {
          SimStream link = links.get(peer);
          if (link != null) {
            link.send(frame);
          }
        });
  }

  @Override
  public void watchAnew(int peer) {
    execute(
        () -> {
          SimStream link = links.get(peer);
          if (link != null) {
            link.watchAnew();
          }
        });
  }

  @Override
  public void execute(Runnable task) {
    process.execute(
        () -> {
          if (!closed) {
            task.run();
          }
        });
  }

  @Override
  public long nanoTime() {
    return process.clock().nanoTime();
  }

  @Override
  public void after(long nanos, Runnable task) {
    process.after(
        nanos,
        () -> {
          if (!closed) {
            task.run();
          }
        });
  }

  @Override
  public int patience(int peer) {
    return 1;
  }

  @Override
  public void close() {
    execute(this::closeAll);
    // What was sent before is on its way when this returns, unless it is called by the background.
    while (!closed && !process.inBackground()) {
      process.compute(CLOSING_NANOS);
    }
  }

  private void closeAll() {
    closed = true;
    port.close();
    for (SimStream link : List.copyOf(links.values())) {
      link.close();
    }
    links.clear();
  }

  /** The connection with one neighbour. */
  private final class Link implements SimStream.Handler {
    private final int peer;

    Link(int peer) {
      this.peer = peer;
    }

    @Override
    public void onOpen(SimStream stream) {
      if (closed) {
        stream.close();
      } else {
        links.put(peer, stream);
        handler.onOpen(peer);
      }
    }

    @Override
    public void onFrame(SimStream stream, byte[] frame) {
      if (!handler.onFrame(peer, ByteBuffer.wrap(frame))) {
        links.remove(peer, stream);
        stream.close();
        handler.onClosed(peer, "closed here");
      }
    }

    @Override
    public void onUnanswered(SimStream stream, String reason) {
      if (!links.containsKey(peer)) {
        handler.onUnreachable(peer, reason);
      }
    }

    @Override
    public boolean onSilent(SimStream stream, String reason) {
      return beating && handler.onSilent(peer, reason);
    }

    @Override
    public void onHeard(SimStream stream) {
      if (beating) {
        handler.onHeard(peer);
      }
    }

    @Override
    public void onClosed(SimStream stream, String reason) {
      links.remove(peer, stream);
      if (!links.containsKey(peer)) {
        handler.onClosed(peer, reason);
      }
    }
  }
}
