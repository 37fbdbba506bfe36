package org.fmi.run.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.fmi.ckpt.files.ProgramFacts;
import org.fmi.job.EndCause;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobController;
import org.fmi.job.JobEvent;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromDaemonCodec;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.fmi.net.Session;
import org.fmi.run.launch.DaemonProcess;
import org.fmi.run.launch.Launcher;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.Settings;
import org.fmi.run.options.UsageException;
import org.fmi.run.report.Console;
import org.fmi.run.report.EventLog;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** How it ends with local nodes whose daemons do not do what they should. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
@Order(1)
final class JobShellTest {
  private static final int SIGINT = 2;
  private static final int SIGPIPE = 13;

  @TempDir private Path directory;

  /** Starts nothing that comes up, and fences at once. */
  private static class StuckLauncher implements Launcher {
    final CountDownLatch fenced = new CountDownLatch(1);

    @Override
    public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
      try {
        fenced.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      throw new IOException("cannot be started");
    }

    @Override
    public void fence(String name, Bootstrap last) {
      fenced.countDown();
    }

    @Override
    public boolean isDead(String name, Bootstrap last) {
      return false;
    }

    @Override
    public void killDaemon(String name, long pid) {}
  }

  /** Finds no memory for its first decision. */
  private static final class NoMemory implements Job {
    @Override
    public List<JobCommand> begin() {
      return List.of(new JobCommand.Launch(0));
    }

    @Override
    public List<JobCommand> on(JobEvent event) {
      throw new OutOfMemoryError("thrown on purpose");
    }

    @Override
    public int recoveries() {
      return 0;
    }
  }

  /** Launches node 0, and ends when it is told to. */
  private final class OneNode implements Job {
    @Override
    public List<JobCommand> begin() {
      return List.of(new JobCommand.Launch(0));
    }

    @Override
    public List<JobCommand> on(JobEvent event) {
      switch (event) {
        case JobEvent.NodeUp _ -> shell.interrupt(SIGINT);
        case JobEvent.Interrupted e -> {
          return List.of(new JobCommand.End(128 + e.signal(), EndCause.INTERRUPTED, ""));
        }
        case JobEvent.NodeLost _,
            JobEvent.DaemonLost _,
            JobEvent.NodeUnfit _,
            JobEvent.NodeSilent _,
            JobEvent.NodeHeard _,
            JobEvent.NodeAdded _,
            JobEvent.NodeGranted _,
            JobEvent.NodeRefused _,
            JobEvent.NodeLeaving _,
            JobEvent.NodeStays _,
            JobEvent.RankKicked _,
            JobEvent.FromNode _,
            JobEvent.Examined _,
            JobEvent.ExaminationOver _,
            JobEvent.CheckpointAsked _,
            JobEvent.CheckpointWithdrawn _,
            JobEvent.Continued _ -> {
          // not what these tests are about
        }
      }
      return List.of();
    }

    @Override
    public int recoveries() {
      return 0;
    }
  }

  @SuppressWarnings("NullAway.Init") // by shell(...)
  private Succession shell;

  private Succession shell(Launcher launcher, Function<String, List<String>> addressesFor)
      throws UsageException {
    return shell(options(1), new OneNode(), launcher, addressesFor, null);
  }

  /** So many ranks, each on a node of its own. */
  private RunOptions options(int ranks, String... more) throws UsageException {
    List<String> arguments = new ArrayList<>(List.of("-n", Integer.toString(ranks)));
    arguments.addAll(List.of("--ppn", "1", "--quiet"));
    arguments.addAll(List.of(more));
    arguments.addAll(List.of("-cp", "target/test-classes", JobShellTest.class.getName()));
    return RunOptions.of(
        Settings.read(arguments, Map.of(), directory.resolve("none")),
        Map.of(),
        Path.of("").toAbsolutePath(),
        _ -> true);
  }

  private static Succession shell(
      RunOptions options,
      Job job,
      Launcher launcher,
      Function<String, List<String>> addressesFor,
      @Nullable EventLog events) {
    Console console = new Console(null, 1 << 20, false, false, () -> {}, () -> {});
    console.start();
    return new Succession(
        options,
        job,
        new ShellContext(
            "0123456789ab",
            "0123456789ab",
            new byte[32],
            new JobProgram(List.of(), new ProgramFacts("", List.of(), List.of()), List.of(), null),
            launcher,
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            addressesFor,
            InputStream.nullInputStream(),
            console,
            events,
            null,
            null,
            null));
  }

  /** Has nothing to wait for when it ends. */
  private static final class NothingToDo implements Job {
    @Override
    public List<JobCommand> begin() {
      return List.of(new JobCommand.End(3, EndCause.ALL_ENDED, ""));
    }

    @Override
    public List<JobCommand> on(JobEvent event) {
      return List.of();
    }

    @Override
    public int recoveries() {
      return 0;
    }
  }

  @Test
  void tellsOfAnEndThatComesAtOnce() throws Exception {
    for (int i = 0; i < 20; i++) {
      Path file = directory.resolve("events" + i);
      Succession ended =
          shell(
              options(1),
              new NothingToDo(),
              new StuckLauncher(),
              _ -> List.of("127.0.0.1"),
              new EventLog(file));
      assertThat(ended.run()).isEqualTo(3);
      assertThat(Files.readString(file)).contains("Finished");
    }
  }

  /** With Ctrl-C all that is in the foreground ends, also who reads the output. */
  @Test
  void theFirstSignalDecidesTheStatus() throws Exception {
    shell =
        shell(
            new StuckLauncher(),
            _ -> {
              shell.interrupt(SIGINT);
              shell.interrupt(SIGPIPE);
              return List.of("127.0.0.1");
            });
    assertThat(shell.run()).isEqualTo(128 + SIGINT);
  }

  @Test
  void anEndThatTheJobKnowsNothingOfIsAnEvent() throws Exception {
    Path file = directory.resolve("events");
    shell =
        shell(
            options(1),
            new OneNode(),
            new StuckLauncher(),
            _ -> {
              shell.outputLost();
              return List.of("127.0.0.1");
            },
            new EventLog(file));
    assertThat(shell.run()).isEqualTo(70);
    assertThat(Files.readString(file)).contains("Finished").contains("70");
  }

  @Test
  void waitsUntilALocalNodesMemoryIsDeleted() throws Exception {
    CountDownLatch deleted = new CountDownLatch(1);
    StuckLauncher nodes =
        new StuckLauncher() {
          @Override
          public void fence(String name, Bootstrap last) {
            super.fence(name, last);
            try {
              Thread.sleep(3000); // a lot of memory
              deleted.countDown();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    shell =
        shell(
            nodes,
            _ -> {
              shell.interrupt(SIGINT);
              return List.of("127.0.0.1");
            });
    assertThat(shell.run()).isEqualTo(128 + SIGINT);
    assertThat(deleted.getCount()).isZero();
  }

  @Test
  void endsThoughTheSystemDoesNotAnswerWhatAddressesItHas() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    shell =
        shell(
            new StuckLauncher(),
            _ -> {
              shell.interrupt(SIGINT);
              try {
                answer.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              return List.of("127.0.0.1");
            });
    assertThat(shell.run()).isEqualTo(128 + SIGINT);
    answer.countDown();
  }

  /** Daemons are started 16 at a time. */
  @Test
  void startsAndFencesNoNodeWhoseTurnHadNotComeAtTheEnd() throws Exception {
    AtomicInteger starts = new AtomicInteger();
    AtomicInteger fences = new AtomicInteger();
    StuckLauncher nodes =
        new StuckLauncher() {
          @Override
          public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
            if (starts.incrementAndGet() == 16) {
              shell.interrupt(SIGINT);
            }
            return super.start(name, bootstrap);
          }

          @Override
          public void fence(String name, Bootstrap last) {
            fences.incrementAndGet();
            super.fence(name, last);
          }
        };
    RunOptions options = options(20);
    Job job = new JobController(options.spec());
    shell = shell(options, job, nodes, _ -> List.of("127.0.0.1"), null);
    assertThat(shell.run()).isEqualTo(128 + SIGINT);
    assertThat(starts).hasValue(16);
    assertThat(fences).hasValue(16);
  }

  /** A spare that never came up, and that ranks wait for now. */
  @Test
  void aNodeThatIsWaitedForIsStartedUntilItIsUp() throws Exception {
    AtomicInteger lost = new AtomicInteger();
    Job job =
        new Job() {
          @Override
          public List<JobCommand> begin() {
            return List.of(new JobCommand.Launch(0));
          }

          @Override
          public List<JobCommand> on(JobEvent event) {
            return switch (event) {
              case JobEvent.Interrupted e ->
                  List.of(new JobCommand.End(128 + e.signal(), EndCause.INTERRUPTED, ""));
              case JobEvent.NodeLost _ -> {
                lost.incrementAndGet();
                yield List.of(new JobCommand.Launch(0));
              }
              default -> List.of();
            };
          }

          @Override
          public int recoveries() {
            return 0;
          }
        };
    AtomicInteger starts = new AtomicInteger();
    AtomicInteger fences = new AtomicInteger();
    StuckLauncher nodes =
        new StuckLauncher() {
          @Override
          public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
            if (starts.incrementAndGet() == 4) {
              shell.interrupt(SIGINT);
            }
            throw new IOException("is down");
          }

          @Override
          public void fence(String name, Bootstrap last) {
            if (fences.incrementAndGet() == 1) {
              throw new IllegalStateException("thrown on purpose");
            }
          }
        };
    shell = shell(options(1), job, nodes, _ -> List.of("127.0.0.1"), null);
    assertThat(shell.run()).isEqualTo(128 + SIGINT);
    assertThat(lost).as("only the first start is one of the job").hasValue(1);
  }

  @Test
  void fencesANodeWhoseDaemonDiesAtTheEnd() throws Exception {
    try (Connecting nodes = new Connecting(DyingDaemon::new)) {
      shell = shell(nodes, _ -> List.of("127.0.0.1"));
      assertThat(shell.run()).isEqualTo(128 + SIGINT);
      assertThat(nodes.fenced.getCount()).isZero();
    }
  }

  /** It is never done with what follows from one event: it hears of another one nevertheless. */
  @Test
  void hearsOfOtherThingsBeforeItGoesOn() throws Exception {
    AtomicInteger parts = new AtomicInteger();
    Job job =
        new Job() {
          @Override
          public List<JobCommand> begin() {
            return List.of(new JobCommand.Continue());
          }

          @Override
          public List<JobCommand> on(JobEvent event) {
            if (event instanceof JobEvent.Interrupted e) {
              return List.of(new JobCommand.End(128 + e.signal(), EndCause.INTERRUPTED, ""));
            }
            int part = parts.incrementAndGet();
            if (part == 10) {
              shell.interrupt(SIGINT);
            }
            return part == 1_000_000
                ? List.of(new JobCommand.End(1, EndCause.UNRECOVERABLE, "not interrupted"))
                : List.of(new JobCommand.Continue());
          }

          @Override
          public int recoveries() {
            return 0;
          }
        };
    try (Connecting nodes = new Connecting(DyingDaemon::new)) {
      shell = shell(options(1), job, nodes, _ -> List.of("127.0.0.1"), null);
      assertThat(shell.run()).isEqualTo(128 + SIGINT);
      assertThat(parts).hasValueBetween(10, 1000);
    }
  }

  @Test
  void asksForTheProcessesThatAreToStandBy() throws Exception {
    Job job =
        new Job() {
          @Override
          public List<JobCommand> begin() {
            return List.of(new JobCommand.Launch(0));
          }

          @Override
          public List<JobCommand> on(JobEvent event) {
            return switch (event) {
              case JobEvent.NodeUp e ->
                  List.of(new JobCommand.ToNode(e.node(), new ToDaemon.Standbys(3, 4)));
              case JobEvent.Interrupted e ->
                  List.of(new JobCommand.End(128 + e.signal(), EndCause.INTERRUPTED, ""));
              default -> List.of();
            };
          }

          @Override
          public int recoveries() {
            return 0;
          }
        };
    AtomicInteger standbys = new AtomicInteger();
    try (Connecting nodes = new Connecting(process -> new AskedDaemon(process, standbys))) {
      shell = shell(options(1), job, nodes, _ -> List.of("127.0.0.1"), null);
      assertThat(shell.run()).isEqualTo(128 + SIGINT);
      assertThat(standbys).hasValue(3);
    }
  }

  @Test
  void fencesANodeThatCannotTakePart() throws Exception {
    try (Connecting nodes = new Connecting(RefusingDaemon::new)) {
      RunOptions options = options(1);
      Job job = new JobController(options.spec());
      shell = shell(options, job, nodes, _ -> List.of("127.0.0.1"), null);
      assertThat(shell.run()).as("what the user gave cannot work").isEqualTo(64);
      assertThat(nodes.fenced.getCount()).isZero();
    }
  }

  @Test
  void anErrorEndsTheJob() throws Exception {
    try (Connecting nodes = new Connecting(DyingDaemon::new)) {
      shell = shell(options(1), new NoMemory(), nodes, _ -> List.of("127.0.0.1"), null);
      assertThat(shell.run()).isEqualTo(70);
      assertThat(nodes.fenced.getCount()).isZero();
    }
  }

  @Test
  void aNodeThatGivesUpIsLost() throws Exception {
    try (Connecting nodes = new Connecting(FailingDaemon::new)) {
      RunOptions options = options(1);
      Job job = new JobController(options.spec());
      shell = shell(options, job, nodes, _ -> List.of("127.0.0.1"), null);
      assertThat(shell.run()).isEqualTo(70);
      assertThat(nodes.fenced.getCount()).isZero();
    }
  }

  /** Launches node 0, and ends with the reason why it is lost. */
  private static final class UntilLost implements Job {
    private @Nullable String reason;

    @Override
    public List<JobCommand> begin() {
      return List.of(new JobCommand.Launch(0));
    }

    @Override
    public List<JobCommand> on(JobEvent event) {
      if (event instanceof JobEvent.NodeLost e) {
        reason = e.reason();
        return List.of(new JobCommand.End(70, EndCause.CANNOT_START, "node0: " + e.reason()));
      }
      return List.of();
    }

    @Override
    public int recoveries() {
      return 0;
    }
  }

  @Test
  void aDaemonThatHangsWhenItStartsIsGivenUpAfterTheTimeThatTheUserGives() throws Exception {
    SilentDaemons processes = new SilentDaemons(directory);
    StuckLauncher nodes =
        new StuckLauncher() {
          @Override
          public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
            return processes.start(name, bootstrap);
          }
        };
    UntilLost job = new UntilLost();
    shell = shell(options(1, "--start-timeout", "1"), job, nodes, _ -> List.of("127.0.0.1"), null);
    assertThat(shell.run()).isEqualTo(70);
    assertThat(job.reason).startsWith("its daemon did not start within 1 s (--start-timeout)");
  }

  /** Starts processes that do nothing, and daemons here that speak for them. */
  private final class Connecting extends StuckLauncher implements AutoCloseable {
    private final NetLoop loop =
        NetLoop.open("test-daemon", new byte[32], NetLoop.MAX_FRAME, warning -> {});
    private final Function<DaemonProcess, ConnectionHandler> daemon;
    private final SilentDaemons processes;

    Connecting(Function<DaemonProcess, ConnectionHandler> daemon) throws IOException {
      this.daemon = daemon;
      processes = new SilentDaemons(directory);
    }

    @Override
    public DaemonProcess start(String name, Bootstrap bootstrap) throws IOException {
      DaemonProcess process = processes.start(name, bootstrap);
      SilentDaemons.connect(loop, bootstrap, 5000, daemon.apply(process));
      return process;
    }

    @Override
    public void close() {
      loop.close();
    }
  }

  /** Says who it is, and listens. */
  private abstract static class FakeDaemon implements ConnectionHandler {
    abstract void onMessage(Connection connection, ToDaemon message);

    private final Session session = new Session();

    final void send(FromDaemon message) {
      session.send(FromDaemonCodec.encode(message));
    }

    @Override
    public void onOpen(Connection connection) {
      session.open(connection);
      send(new FromDaemon.Hello(0, 1, 1, List.of(), 1 << 20, "25", "127.0.0.1", 9));
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer arrived) {
      try {
        ByteBuffer frame = session.received(connection, arrived);
        if (frame != null) {
          onMessage(connection, ToDaemonCodec.decode(frame));
        }
      } catch (BadMessageException | Session.ProtocolException e) {
        throw new AssertionError(e);
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {}
  }

  /** Comes up, and is killed when it is told to end. */
  private static final class DyingDaemon extends FakeDaemon {
    private final DaemonProcess process;

    DyingDaemon(DaemonProcess process) {
      this.process = process;
    }

    @Override
    void onMessage(Connection connection, ToDaemon message) {
      if (message instanceof ToDaemon.Setup) {
        send(new FromDaemon.Ready());
      } else if (message instanceof ToDaemon.ShutDown) {
        connection.close();
        process.kill();
      }
    }
  }

  /** Comes up, and has the job interrupted when it is asked for processes that stand by. */
  private final class AskedDaemon extends FakeDaemon {
    private final DaemonProcess process;
    private final AtomicInteger standbys;

    AskedDaemon(DaemonProcess process, AtomicInteger standbys) {
      this.process = process;
      this.standbys = standbys;
    }

    @Override
    void onMessage(Connection connection, ToDaemon message) {
      switch (message) {
        case ToDaemon.Setup _ -> send(new FromDaemon.Ready());
        case ToDaemon.Standbys m -> {
          standbys.set(m.count());
          shell.interrupt(SIGINT);
        }
        case ToDaemon.ShutDown _ -> {
          connection.close();
          process.kill();
        }
        default -> {}
      }
    }
  }

  /** Comes up, and cannot get rid of its rank. */
  private static final class FailingDaemon extends FakeDaemon {
    FailingDaemon(DaemonProcess process) {}

    @Override
    void onMessage(Connection connection, ToDaemon message) {
      if (message instanceof ToDaemon.Setup) {
        send(new FromDaemon.Ready());
      } else if (message instanceof ToDaemon.Spawn) {
        send(new FromDaemon.Refused("rank 0 does not die"));
      }
    }
  }

  /** Cannot find the program. */
  private static final class RefusingDaemon extends FakeDaemon {
    RefusingDaemon(DaemonProcess process) {}

    @Override
    void onMessage(Connection connection, ToDaemon message) {
      if (message instanceof ToDaemon.Setup) {
        send(new FromDaemon.Refused("the program is not there"));
      }
    }
  }
}
