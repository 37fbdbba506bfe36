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
 * A process's line to its daemon. When it breaks the daemon is gone, or has cut this process off:
 * the process ends at once, whatever it is doing.
 */
final class DaemonLink implements JobLink, ConnectionHandler {
  private static final int CONNECT_MILLIS = 30_000;

  /** How often it tells what the rank shows. */
  private static final int SHOW_MILLIS = 1000;

  /** How often it looks whether the program reads standard input, unless that tells by itself. */
  private static final int INPUT_MILLIS = 1000;

  /** The exit status of a process killed by SIGKILL. */
  private static final int CUT_OFF = 137;

  private final Diagnostics diagnostics = new StandardError();
  private final Connection connection;
  private final CompletableFuture<Optional<Path>> warmUp = new CompletableFuture<>();
  private final CompletableFuture<ToRank.Assign> assignment = new CompletableFuture<>();

  /** Messages that came before somebody listened. Used on the link's thread. */
  private final List<JobMessage> early = new ArrayList<>();

  private @Nullable Listener listener;
  private final Path nodeDirectory;

  private final NetLoop loop;
  private volatile @Nullable Lifeline lifeline;
  private volatile boolean exiting;
  private final AtomicBoolean readsInput = new AtomicBoolean();

  /** What was said last; the thread that recovers says it. */
  private boolean idle;

  /** What the program prints to, where that can be hidden. */
  private volatile @Nullable HideableOutput output;

  private DaemonLink(Path socket) {
    nodeDirectory = Objects.requireNonNull(socket.toAbsolutePath().getParent());
    // The socket is protected by its directory; the job's secret comes over it.
    loop = NetLoop.open("fmi-link", new byte[32], NetLoop.MAX_FRAME, this::report);
    connection = loop.connectLocal(socket, CONNECT_MILLIS, this);
  }

  /** The link of this process, which lasts until it exits. */
  static DaemonLink connect(Path socket) {
    DaemonLink link = new DaemonLink(socket);
    Runtime.getRuntime().addShutdownHook(new Thread(link::exit, "fmi-exit"));
    return link;
  }

  /** The virtual machine would wait 300 ms for a thread that is in a call of the system. */
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
   * Done when this process is to get ready, in a directory of its own, for an assignment that may
   * come much later; empty if there is no time for that.
   */
  CompletableFuture<Optional<Path>> warmUp() {
    return warmUp;
  }

  /** Done when this process knows who it is. */
  CompletableFuture<ToRank.Assign> assignment() {
    return assignment;
  }

  @Override
  public void send(RankMessage message) {
    connection.send(FromRankCodec.encode(new FromRank.Said(message)));
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

  /** The program reads standard input, and so this process needs it. Any thread. */
  void readsInput() {
    if (!readsInput.get() && readsInput.compareAndSet(false, true)) {
      connection.send(FromRankCodec.encode(new FromRank.ReadsInput()));
    }
  }

  /** Looks now and then whether the program does, until it does. */
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

  /** What {@link #hideOutput} hides. */
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
        case ToRank.Tell m -> hear(m.message());
        case ToRank.Begin m ->
            hear(new JobMessage.Start(m.epoch(), m.rollback(), m.local(), mapped(m.endpoints())));
      }
    } catch (BadMessageException e) {
      System.err.println("fmi: the daemon sent nonsense: " + e.getMessage());
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

  /** The addresses of all ranks; unmapped when nobody needs them any more. */
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
      daemon.heartbeat(timeoutMillis); // closed meanwhile
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
      System.err.println("fmi: the death of this process will be seen late: " + e);
    }
  }

  @Override
  public void onClosed(Connection from, Closed closed) {
    if (!exiting) {
      Runtime.getRuntime().halt(CUT_OFF);
    }
  }
}
