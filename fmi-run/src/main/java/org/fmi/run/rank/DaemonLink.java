package org.fmi.run.rank;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.fmi.control.AddressTable;
import org.fmi.control.JobLink;
import org.fmi.control.JobMessage;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.fmi.control.RankReport;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.FromRankCodec;
import org.fmi.job.control.ToRank;
import org.fmi.job.control.ToRankCodec;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.fmi.node.PrivateFile;
import org.fmi.run.StandardError;
import org.fmi.run.lifeline.Lifeline;
import org.fmi.run.process.Starvation;
import org.fmi.spi.Diagnostics;
import org.jspecify.annotations.Nullable;

/**
 * The connection of a process to its daemon. When it breaks, the daemon is gone, or has cut this
 * process off: the process ends at once, whatever it is doing.
 */
final class DaemonLink implements JobLink, ConnectionHandler {
  private static final int CONNECT_MILLIS = 30_000;

  /** Interval of the rank's reports. */
  private static final int SHOW_MILLIS = 1000;

  /**
   * Interval of checks whether the program reads standard input, unless the read is noticed by
   * itself.
   */
  private static final int INPUT_MILLIS = 1000;

  /** The exit status of a process killed by SIGKILL. */
  private static final int CUT_OFF = 137;

  private final Diagnostics diagnostics = new StandardError();
  private final Connection connection;
  private final CompletableFuture<Optional<Path>> warmUp = new CompletableFuture<>();
  private final CompletableFuture<ToRank.Assign> assignment = new CompletableFuture<>();

  /** Messages that arrived before there was a listener. Used on the link's thread. */
  private final List<JobMessage> early = new ArrayList<>();

  private @Nullable Listener listener;
  private final Path nodeDirectory;

  private final NetLoop loop;
  private volatile @Nullable Lifeline lifeline;
  private volatile boolean exiting;
  private final AtomicBoolean readsInput = new AtomicBoolean();

  /** The last value sent; used by the thread that recovers. */
  private boolean idle;

  /** The program's output, where it can be hidden. */
  private volatile @Nullable HideableOutput output;

  private DaemonLink(Path socket) {
    nodeDirectory = Objects.requireNonNull(socket.toAbsolutePath().getParent());
    // The socket is protected by its directory; the job's secret arrives over it.
    loop = NetLoop.open("fmi-link", new byte[32], NetLoop.MAX_FRAME, this::report);
    connection = loop.connectLocal(socket, CONNECT_MILLIS, this);
  }

  /** Returns the link of this process, which lasts until it exits. */
  static DaemonLink connect(Path socket) {
    DaemonLink link = new DaemonLink(socket);
    Runtime.getRuntime().addShutdownHook(new Thread(link::exit, "fmi-exit"));
    return link;
  }

  /** Exits without waiting 300 ms for a thread in a system call, as the JVM would. */
  private void exit() {
    exiting = true;
    Lifeline held = lifeline;
    if (held != null) {
      held.end();
    }
    connection.send(FromRankCodec.encode(new FromRank.Exiting()));
    loop.close();
  }

  /**
   * Completes when this process must warm up, in its own directory, for an assignment that may
   * arrive much later; empty if there is no time for that.
   */
  CompletableFuture<Optional<Path>> warmUp() {
    return warmUp;
  }

  /** Completes when this process has its rank. */
  CompletableFuture<ToRank.Assign> assignment() {
    return assignment;
  }

  @Override
  public void send(RankMessage message) {
    connection.send(FromRankCodec.encode(new FromRank.Relayed(message)));
  }

  @Override
  public void offer(Pinned pinned) {
    connection.send(FromRankCodec.encode(new FromRank.Offered(pinned)));
  }

  @Override
  public void idle(boolean waits) {
    if (waits != idle) {
      idle = waits;
      connection.send(FromRankCodec.encode(new FromRank.Idle(waits)));
    }
  }

  /** Notes that the program reads standard input, so that this process needs it. Any thread. */
  void readsInput() {
    if (!readsInput.get() && readsInput.compareAndSet(false, true)) {
      connection.send(FromRankCodec.encode(new FromRank.ReadsInput()));
    }
  }

  /** Checks periodically whether the program reads, until it does. */
  void lookForReader(BooleanSupplier reads) {
    var _ =
        loop.schedule(
            INPUT_MILLIS,
            TimeUnit.MILLISECONDS,
            () -> {
              if (reads.getAsBoolean()) {
                readsInput();
              }
              if (!readsInput.get()) {
                lookForReader(reads);
              }
            });
  }

  /** Sets the output for {@link #hideOutput}. */
  void output(HideableOutput ofProgram) {
    output = ofProgram;
  }

  @Override
  public void hideOutput(boolean hidden) {
    HideableOutput known = output;
    if (known != null) {
      known.hide(hidden);
    }
  }

  @Override
  public void report(String line) {
    diagnostics.report(line);
  }

  @Override
  public void flush() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(() -> done.complete(null));
    done.join();
  }

  @Override
  public void listen(Listener newListener) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          listener = newListener;
          early.forEach(newListener::onMessage);
          early.clear();
          done.complete(null);
        });
    done.join();
  }

  @Override
  public void show(Supplier<RankReport> report) {
    loop.execute(() -> showEvery(report));
  }

  private void showEvery(Supplier<RankReport> report) {
    connection.send(
        FromRankCodec.encode(new FromRank.Shown(report.get().with(MemoryLevels.now()))));
    var _ = loop.schedule(SHOW_MILLIS, TimeUnit.MILLISECONDS, () -> showEvery(report));
  }

  @Override
  public void onOpen(Connection opened) {
    opened.send(FromRankCodec.encode(new FromRank.Hello(ProcessHandle.current().pid())));
  }

  @Override
  public void onFrame(Connection from, ByteBuffer frame) {
    try {
      switch (ToRankCodec.decode(frame)) {
        case ToRank.WarmUp m -> warmUp.complete(Optional.of(Path.of(m.directory())));
        case ToRank.HoldLifeline _ -> holdLifeline();
        case ToRank.Assign m -> {
          watch(from, m.config().job().heartbeatMillis());
          assignment.complete(m);
          warmUp.complete(Optional.empty());
        }
        case ToRank.Stack _ ->
            from.send(FromRankCodec.encode(new FromRank.Stack(ThreadStacks.text())));
        case ToRank.Forward m -> hear(m.message());
        case ToRank.Begin m ->
            hear(new JobMessage.Start(m.epoch(), m.rollback(), m.local(), mapped(m.endpoints())));
      }
    } catch (BadMessageException e) {
      System.err.println("fmi: the daemon sent an invalid message: " + e.getMessage());
      Runtime.getRuntime().halt(CUT_OFF);
    } catch (IOException e) {
      System.err.println("fmi: the addresses of the other ranks cannot be read: " + e);
      Runtime.getRuntime().halt(CUT_OFF);
    }
  }

  private void hear(JobMessage message) {
    Listener known = listener;
    if (known == null) {
      early.add(message);
    } else {
      known.onMessage(message);
    }
  }

  /** Returns the addresses of all ranks; unmapped when they are no longer used. */
  private static AddressTable mapped(String file) throws IOException {
    try {
      return AddressTable.in(PrivateFile.open(Path.of(file), Arena.ofAuto()));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + " is damaged", e);
    }
  }

  private static void watch(Connection daemon, int timeoutMillis) {
    try {
      daemon.heartbeat(timeoutMillis, new Starvation(daemon.peerProcess()));
    } catch (IOException e) {
      daemon.heartbeat(timeoutMillis); // closed in the meantime
    }
  }

  private void holdLifeline() {
    if (lifeline != null) {
      return;
    }
    try {
      Lifeline made = Lifeline.make(nodeDirectory);
      lifeline = made;
      made.hold(() -> connection.send(FromRankCodec.encode(new FromRank.LifelineHeld())));
    } catch (IOException e) {
      System.err.println("fmi: the death of this process will be noticed late: " + e);
    }
  }

  @Override
  public void onClosed(Connection from, Closed closed) {
    if (!exiting) {
      Runtime.getRuntime().halt(CUT_OFF);
    }
  }
}
