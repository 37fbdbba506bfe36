package org.fmi.run.shell;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.control.RankMessage.Position;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromDaemonCodec;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Endpoint;
import org.fmi.net.NetLoop;
import org.fmi.net.Session;
import org.fmi.run.launch.DaemonProcess;
import org.fmi.run.launch.Launcher;
import org.jspecify.annotations.Nullable;

/**
 * Very many daemons in this JVM, with a rank each, of which only what they tell fmirun is left:
 * that over real connections, in real messages. A process of each, which does nothing, stands for
 * it.
 *
 * <p>They start, take a checkpoint, lose a node, recover, and end.
 */
final class Swarm implements Launcher, AutoCloseable {
  private static final long ITERATION = 10;
  private static final int HEARTBEAT_MILLIS = 60_000;
  private static final int CONNECT_MILLIS = 60_000;
  private static final int FIRST_PORT = 32768;
  private static final int PORTS = 28_000;
  private static final long PROBE_MILLIS = 5;

  private final int lostNode;
  private final SilentDaemons processes;
  private final NetLoop loop =
      NetLoop.open("swarm", new byte[32], NetLoop.MAX_FRAME, warning -> {});

  /** Apart from all others, so that only fmirun makes it wait. */
  private final NetLoop probing =
      NetLoop.open("swarm-probe", new byte[32], NetLoop.MAX_FRAME, warning -> {});

  private final SplittableRandom random = new SplittableRandom(1);
  private final Map<Integer, Daemon> daemons = new ConcurrentHashMap<>();
  private final AtomicLong bytesToFmirun = new AtomicLong();
  private final AtomicLong bytesFromFmirun = new AtomicLong();
  private final AtomicLong longestNanos = new AtomicLong();

  /**
   * @param directory where it may write
   * @param lostNode the node that is lost after the first checkpoint; not node 0
   */
  Swarm(Path directory, int lostNode) throws IOException {
    this.lostNode = lostNode;
    processes = new SilentDaemons(directory);
  }

  @Override
  public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
    DaemonProcess process = processes.start(name, bootstrap);
    Daemon daemon = new Daemon(bootstrap.node(), process);
    daemons.put(bootstrap.node(), daemon);
    NetLoop its = bootstrap.node() == 0 ? probing : loop;
    SilentDaemons.connect(its, bootstrap, CONNECT_MILLIS, daemon);
    return process;
  }

  @Override
  public void fence(String name, Bootstrap last) {
    Daemon daemon = daemons.get(last.node());
    if (daemon != null) {
      daemon.process.kill();
    }
  }

  @Override
  public boolean isDead(String name, Bootstrap last) {
    return false;
  }

  @Override
  public void killDaemon(String name, long pid) {}

  @Override
  public void close() {
    loop.close();
    probing.close();
    daemons.values().forEach(daemon -> daemon.process.kill());
  }

  long bytesToFmirun() {
    return bytesToFmirun.get();
  }

  long bytesFromFmirun() {
    return bytesFromFmirun.get();
  }

  /** How long fmirun let somebody wait at most for an answer, since this was asked last. */
  long takeLongestNanos() {
    return longestNanos.getAndSet(0);
  }

  /** A rank has reached its checkpoint: all others go on, and one node is lost. */
  void checkpointAndLose() {
    probing.execute(
        () ->
            daemon(0)
                .say(
                    new RankMessage.CheckpointDone(
                        new Notice.CheckpointCommitted(
                            0, 0, 0, ITERATION, 1 << 20, 1 << 20, 0, 0, 0),
                        ITERATION,
                        false)));
    loop.execute(daemon(lostNode)::vanish);
  }

  /** The program has come to its end, on all ranks. */
  void finish(int epoch) {
    for (Daemon daemon : daemons.values()) {
      (daemon.node == 0 ? probing : loop)
          .execute(() -> daemon.say(new RankMessage.Finished(epoch)));
    }
  }

  private Daemon daemon(int node) {
    Daemon daemon = daemons.get(node);
    if (daemon == null) {
      throw new IllegalStateException("no daemon of node " + node);
    }
    return daemon;
  }

  /** One daemon and its rank. On its loop's thread. */
  private final class Daemon implements ConnectionHandler {
    private final int node;
    private final DaemonProcess process;
    private final Session session = new Session();
    private @Nullable Connection fmirun;
    private int rank = -1;
    private int incarnation;
    private int epoch;
    private boolean ran;
    private long askedAt;

    Daemon(int node, DaemonProcess process) {
      this.node = node;
      this.process = process;
    }

    @Override
    public void onOpen(Connection connection) {
      fmirun = connection;
      connection.heartbeat(HEARTBEAT_MILLIS);
      session.open(connection);
      send(new FromDaemon.Hello(node, 1, 1, List.of(), 1L << 30, "25", "127.0.0.1", 9));
    }

    private void send(FromDaemon message) {
      if (fmirun != null) {
        byte[] bytes = FromDaemonCodec.encode(message);
        bytesToFmirun.addAndGet(bytes.length);
        session.send(bytes);
      }
    }

    void say(RankMessage message) {
      if (rank >= 0) {
        send(new FromDaemon.Relayed(rank, incarnation, message));
      }
    }

    void vanish() {
      Connection open = fmirun;
      fmirun = null;
      if (open != null) {
        open.close();
      }
      process.kill();
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer arrived) {
      bytesFromFmirun.addAndGet(arrived.remaining());
      try {
        ByteBuffer frame = session.received(connection, arrived);
        if (frame != null) {
          on(ToDaemonCodec.decode(frame));
        }
      } catch (BadMessageException | Session.ProtocolException e) {
        throw new AssertionError(e);
      }
    }

    private void on(ToDaemon message) {
      switch (message) {
        case ToDaemon.Setup _ -> {
          send(new FromDaemon.Ready());
          if (node == 0) {
            probe();
          }
        }
        case ToDaemon.Spawn m -> {
          rank = m.assignment().rank();
          incarnation = m.assignment().incarnation();
          if (incarnation == 0) {
            join(Position.FRESH);
          } // else it is told first which epoch it is
        }
        case ToDaemon.Forward m -> hear(m.message());
        case ToDaemon.ForwardAll m -> hear(m.message());
        case ToDaemon.OutputTaken _ -> {
          longestNanos.accumulateAndGet(System.nanoTime() - askedAt, Math::max);
          var _ = probing.schedule(PROBE_MILLIS, TimeUnit.MILLISECONDS, this::probe);
        }
        case ToDaemon.ShutDown _ -> vanish();
        case ToDaemon.KillRank m ->
            send(new FromDaemon.RankExited(m.rank(), m.incarnation(), 137, true));
        case ToDaemon.Examine m -> send(new FromDaemon.Examined(m.round(), List.of()));
        case ToDaemon.Serve _ -> send(new FromDaemon.Holds(List.of()));
        case ToDaemon.Standbys _,
            ToDaemon.Forget _,
            ToDaemon.Keep _,
            ToDaemon.LeaseGranted _,
            ToDaemon.Input _,
            ToDaemon.Terminate _,
            ToDaemon.Stack _,
            ToDaemon.Level2 _ -> {}
      }
    }

    /** Asks fmirun something that it answers as soon as it comes to it. */
    private void probe() {
      askedAt = System.nanoTime();
      send(new FromDaemon.Output(0, false, new byte[0], false));
    }

    private void hear(JobMessage message) {
      if (rank < 0) {
        return;
      }
      switch (message) {
        case JobMessage.Revoke m -> {
          if (m.epoch() > epoch) {
            epoch = m.epoch();
            if (ran) {
              say(new RankMessage.Suspect(epoch - 1, m.failed(), 1, 0, "tcp", "closed"));
              say(new RankMessage.Left(new Notice.Left(epoch - 1, rank, 0, ITERATION)));
            }
            join(ran ? Position.IN_LOOP : Position.REPLAYING);
          }
        }
        case JobMessage.Start m -> {
          boolean rebuilt = !ran && m.epoch() > 0;
          ran = true;
          say(new RankMessage.Connected(m.epoch(), "tcp"));
          say(new RankMessage.Running(m.epoch(), 0, m.epoch() == 0 ? -1 : ITERATION, rebuilt));
        }
        case JobMessage.Release _ -> send(new FromDaemon.RankExited(rank, incarnation, 0, false));
        default -> {}
      }
    }

    private void join(Position position) {
      byte[] inbox =
          ("shm-" + rank + "." + incarnation + "-" + epoch + "@" + node)
              .getBytes(StandardCharsets.UTF_8);
      say(
          new RankMessage.Joined(
              epoch, position, Map.of("shm", inbox, "tcp", endpoint(), "detector", endpoint())));
    }

    private byte[] endpoint() {
      return new Endpoint("10.0." + node / 256 + "." + node % 256, port()).bytes();
    }

    private int port() {
      synchronized (random) {
        return FIRST_PORT + random.nextInt(PORTS);
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      fmirun = null;
    }
  }
}
