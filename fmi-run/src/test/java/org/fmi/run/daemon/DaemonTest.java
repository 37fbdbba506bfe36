package org.fmi.run.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.CoreShare;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromDaemonCodec;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.FromRankCodec;
import org.fmi.job.control.Level2Order;
import org.fmi.job.control.Level2Report;
import org.fmi.job.control.Level2Setup;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.fmi.net.Server;
import org.fmi.net.Session;
import org.fmi.node.PrivateFile;
import org.fmi.run.Installation;
import org.fmi.testkit.RankConfigs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A daemon between a fmirun and processes that are the test's own. */
@Timeout(60)
final class DaemonTest {
  private static final int HEARTBEAT_MILLIS = 30_000;

  private final byte[] secret = new byte[32];
  private final String job = UUID.randomUUID().toString().replace("-", "").substring(0, 12);
  private final BlockingQueue<FromDaemon> heard = new LinkedBlockingQueue<>();
  private final BlockingQueue<Connection> daemons = new LinkedBlockingQueue<>();

  /** What the daemon and the test say to each other. */
  private final Session session = new Session();

  /** Stands for fmirun. */
  private final class Fmirun implements ConnectionHandler {
    @Override
    public void onOpen(Connection connection) {
      session.open(connection);
      daemons.add(connection);
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer arrived) {
      try {
        ByteBuffer frame = session.received(connection, arrived);
        if (frame != null) {
          heard.add(FromDaemonCodec.decode(frame));
        }
      } catch (BadMessageException | Session.ProtocolException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {}
  }

  /** Says at once that it is this process. */
  private static final class Claim implements ConnectionHandler {
    private final long pid;
    private final BlockingQueue<Closed> closed;

    Claim(long pid, BlockingQueue<Closed> closed) {
      this.pid = pid;
      this.closed = closed;
    }

    @Override
    public void onOpen(Connection connection) {
      connection.send(FromRankCodec.encode(new FromRank.Hello(pid)));
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {}

    @Override
    public void onClosed(Connection connection, Closed why) {
      closed.add(why);
    }
  }

  private <T extends FromDaemon> T hear(Class<T> kind) throws InterruptedException {
    while (true) {
      FromDaemon message = heard.take();
      if (kind.isInstance(message)) {
        return kind.cast(message);
      }
    }
  }

  /** A daemon that connects to this loop, until it ends. */
  private Thread serve(NetLoop loop, NodeDirectory directory) throws IOException {
    return run(daemon(loop, directory, name -> Thread.ofPlatform().daemon().factory()));
  }

  /** A daemon that connects to this loop once it runs. */
  private Daemon daemon(
      NetLoop loop, NodeDirectory directory, Function<String, ThreadFactory> threads)
      throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Server server = loop.listen(any, HEARTBEAT_MILLIS, (identity, remote) -> new Fmirun());
    Bootstrap bootstrap =
        new Bootstrap(
            job,
            0,
            0,
            0,
            secret,
            List.of(InetAddress.getLoopbackAddress().getHostAddress()),
            server.port(),
            "",
            HEARTBEAT_MILLIS,
            HEARTBEAT_MILLIS,
            HEARTBEAT_MILLIS);
    return new Daemon(
        bootstrap, new Installation(Path.of("/nowhere")), directory, directory, threads);
  }

  private static Thread run(Daemon daemon) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try {
                daemon.run();
                daemon.close();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
  }

  /** Rather than lose an event for which the job then waits. */
  @Test
  void whatADaemonCannotHandleEndsItsNode() throws Exception {
    try (NetLoop loop = NetLoop.open("test", secret, NetLoop.MAX_FRAME, warning -> {})) {
      NodeDirectory directory = NodeDirectory.create(job, 0, 0, secret);
      Thread running = serve(loop, directory);
      daemons.take();
      ToDaemon beforeSetup =
          new ToDaemon.Spawn(
              new Assignment(0, 0, new int[] {0}, 1, List.of()), CoreShare.NONE, List.of());
      session.send(ToDaemonCodec.encode(beforeSetup));
      assertThat(hear(FromDaemon.Refused.class).reason())
          .isEqualTo(
              "internal error of its daemon: java.lang.IllegalStateException: spawn before setup");
      running.join();
      assertThat(directory.path()).doesNotExist();
    }
  }

  /** Makes threads, except those of a name, which the system refuses. */
  private static Function<String, ThreadFactory> without(String refused) {
    return name ->
        task -> {
          if (name.startsWith(refused)) {
            throw new OutOfMemoryError("no more threads");
          }
          return Thread.ofPlatform().daemon().unstarted(task);
        };
  }

  private ToDaemon setup(NodeDirectory directory) {
    return new ToDaemon.Setup(
        NodeSetup.builder()
            .job(RankConfigs.job(1).build())
            .workDirectory(directory.path().toString())
            .outputWindow(1 << 16)
            .level2(new Level2Setup("/nowhere", 0, HEARTBEAT_MILLIS, 0, List.of(), List.of()))
            .build());
  }

  @Test
  void aNodeWithoutAThreadToCheckTheProgramIsUnfit() throws Exception {
    try (NetLoop loop = NetLoop.open("test", secret, NetLoop.MAX_FRAME, warning -> {})) {
      NodeDirectory directory = NodeDirectory.create(job, 0, 0, secret);
      Thread running = run(daemon(loop, directory, without("fmi-checker")));
      daemons.take();
      session.send(ToDaemonCodec.encode(setup(directory)));
      assertThat(hear(FromDaemon.Refused.class).reason()).isEqualTo("no more threads");
      session.send(ToDaemonCodec.encode(new ToDaemon.ShutDown()));
      running.join();
    }
  }

  /** The node lives on. */
  @Test
  void withoutAThreadForTheHelperItsTaskFails() throws Exception {
    try (NetLoop loop = NetLoop.open("test", secret, NetLoop.MAX_FRAME, warning -> {})) {
      NodeDirectory directory = NodeDirectory.create(job, 0, 0, secret);
      Thread running = run(daemon(loop, directory, without("fmi-helper-starter")));
      daemons.take();
      session.send(ToDaemonCodec.encode(setup(directory)));
      ToDaemon order = new ToDaemon.Level2(new Level2Order.Publish(5, -1, new byte[1], 1));
      for (int i = 0; i < 2; i++) {
        session.send(ToDaemonCodec.encode(order));
        assertThat(hear(FromDaemon.Level2.class).report())
            .isEqualTo(
                new Level2Report.Failed(5, "no process can be started: no more threads", false));
      }
      session.send(ToDaemonCodec.encode(new ToDaemon.ShutDown()));
      running.join();
    }
  }

  @Test
  void withoutAThreadForALifelineADeathIsNoticedLate() throws Exception {
    Process process = new ProcessBuilder("sleep", "1000").start();
    try (NetLoop loop = NetLoop.open("test", secret, NetLoop.MAX_FRAME, warning -> {});
        Arena arena = Arena.ofConfined()) {
      NodeDirectory directory = NodeDirectory.create(job, 0, 0, secret);
      Daemon daemon = daemon(loop, directory, without("fmi-lifeline"));
      Thread running = run(daemon);
      daemons.take();
      PrivateFile.create(directory.path().resolve("lifeline-" + process.pid()), 128, arena);
      daemon.watchLifeline(new RankProcess(0, process, new OutputCredit(1 << 16, 1), daemon));
      assertThat(hear(FromDaemon.Warning.class).text())
          .isEqualTo("the death of a rank will be noticed late: no more threads");
      session.send(ToDaemonCodec.encode(new ToDaemon.ShutDown()));
      running.join();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void aProcessIsNotTakenForAnother() throws Exception {
    try (NetLoop loop = NetLoop.open("test", secret, NetLoop.MAX_FRAME, warning -> {})) {
      NodeDirectory directory = NodeDirectory.create(job, 0, 0, secret);
      Thread running = serve(loop, directory);
      daemons.take();
      assertThat(hear(FromDaemon.Hello.class).pid()).isEqualTo(ProcessHandle.current().pid());

      BlockingQueue<Closed> closed = new LinkedBlockingQueue<>();
      Claim liar = new Claim(ProcessHandle.current().pid() + 1, closed);
      loop.connectLocal(directory.socket(), HEARTBEAT_MILLIS, liar);
      assertThat(closed.take().why()).isEqualTo(Closed.Why.PEER);
      assertThat(hear(FromDaemon.Warning.class).text()).contains("rejected a connection");

      // One that tells the truth may have been started just now: its starter will tell. But it
      // connects once.
      for (int i = 0; i < 2; i++) {
        Claim honest = new Claim(ProcessHandle.current().pid(), closed);
        loop.connectLocal(directory.socket(), HEARTBEAT_MILLIS, honest);
      }
      assertThat(closed.take().why()).isEqualTo(Closed.Why.PEER);
      assertThat(closed.poll(100, TimeUnit.MILLISECONDS)).isNull();

      session.send(ToDaemonCodec.encode(new ToDaemon.ShutDown()));
      running.join();
      assertThat(directory.path()).doesNotExist();
    }
  }
}
