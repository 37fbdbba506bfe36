package org.fmi.run.daemon;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.InvalidPathException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.fmi.control.Counter;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.FlushTask;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromDaemonCodec;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.FromRankCodec;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.PieceQuestion;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.job.daemon.DaemonCommand;
import org.fmi.job.daemon.DaemonEvent;
import org.fmi.job.daemon.NodeDaemon;
import org.fmi.job.daemon.NodeFacts;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Endpoint;
import org.fmi.net.NetLoop;
import org.fmi.net.Session;
import org.fmi.run.Installation;
import org.fmi.run.StandardError;
import org.fmi.run.energy.CpuFrequencies;
import org.fmi.run.energy.EnergyCounters;
import org.fmi.run.lifeline.Lifeline;
import org.fmi.run.process.Affinity;
import org.fmi.run.process.MachineLoad;
import org.fmi.run.process.ProcessStat;
import org.fmi.run.process.Starvation;
import org.jspecify.annotations.Nullable;

/**
 * The I/O shell around the decisions of a node's daemon ({@link NodeDaemon}): feeds them events of
 * fmirun, processes and the clock, and executes their commands. All state belongs to the loop's
 * thread.
 */
final class Daemon implements Uplink {
  /** Time limit for the start of a process, up to its exec. */
  private static final int START_SECONDS = 5;

  /**
   * Time for ranks to leave when the daemon is terminated: systems that end a node wait 30 s or
   * more before they kill.
   */
  private static final int LEAVE_SECONDS = 20;

  private static final String NOT_BOUND =
      "the system does not permit binding ranks to cores; they run unbound (--bind none does not"
          + " try)";

  private final Bootstrap bootstrap;
  private final Installation installation;
  private final NodeDirectory directory;

  /** The directory of checkpoints: the same, or one on a disk. */
  private final NodeDirectory checkpoints;

  private final NetLoop loop;
  private final FmirunDialler dialler;
  private final int cores = Runtime.getRuntime().availableProcessors();
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Open until a terminated daemon has no ranks. */
  private final CountDownLatch empty = new CountDownLatch(1);

  private boolean closed;

  private final ProcessStarts starts = new ProcessStarts();

  /** Checks the program's files, and reads checkpoints, which may be slow. */
  private final ExecutorService checker;

  /**
   * Starts the helper. Its thread lives as long as the daemon, because the system kills the helper
   * when the thread that started it ends.
   */
  private final ExecutorService helperStarter;

  /** Makes threads with a given name. */
  private final Function<String, ThreadFactory> threads;

  private final Examiner examiner;
  private final PieceServer server;
  private final AddressFile addresses;
  private final NodeEnergy energy;

  /** The processes that have not ended, or are still connected, by number. */
  private final Map<Integer, RankProcess> processes = new HashMap<>();

  /** The processes that have not ended, by process id. */
  private final Map<Long, RankProcess> byPid = new HashMap<>();

  /** Processes that have connected before the starter has reported their start. */
  private final Map<Long, RankHandler> early = new HashMap<>();

  /** The events to handle next. */
  private final Deque<DaemonEvent> events = new ArrayDeque<>();

  /** The messages between this daemon and fmirun, over one connection after the other. */
  private final Session session = new Session();

  private volatile NodeProgram program = NodeProgram.NONE;

  /** Null until it is connected to fmirun. */
  private @Nullable NodeDaemon decisions;

  private @Nullable RankCommand command;

  /** Null until the setup is known. */
  private @Nullable OutputCredit outputCredit;

  /** The last helper that was started. */
  private @Nullable FlushHelper helper;

  private boolean deciding;
  private boolean terminated;

  /** Whether a decision was not carried out, so that nothing is reliable. */
  private boolean failed;

  private boolean tickScheduled;
  private long scheduledTick;

  Daemon(
      Bootstrap bootstrap,
      Installation installation,
      NodeDirectory directory,
      NodeDirectory pieces) {
    this(
        bootstrap,
        installation,
        directory,
        pieces,
        name -> Thread.ofPlatform().daemon().name(name).factory());
  }

  Daemon(
      Bootstrap bootstrap,
      Installation installation,
      NodeDirectory directory,
      NodeDirectory pieces,
      Function<String, ThreadFactory> threads) {
    this.threads = threads;
    this.checker = Executors.newSingleThreadExecutor(threads.apply("fmi-checker"));
    this.helperStarter = Executors.newSingleThreadExecutor(threads.apply("fmi-helper-starter"));
    this.bootstrap = bootstrap;
    this.installation = installation;
    this.directory = directory;
    this.checkpoints = pieces;
    this.addresses = new AddressFile(directory.path(), this);
    this.energy =
        new NodeEnergy(CpuFrequencies.CPUS, EnergyCounters.POWERCAP, directory.path(), this);
    this.loop =
        NetLoop.open(
            "fmi-daemon", bootstrap.secret(), NetLoop.MAX_FRAME, new StandardError()::report);
    this.dialler = new FmirunDialler(bootstrap, loop, new ToFmirun());
    this.examiner = new Examiner(loop, bootstrap.node(), this::send);
    this.server = new PieceServer(pieces.path(), checker, bootstrap.heartbeatMillis(), this::send);
  }

  /** Serves until the end. */
  void run() throws IOException, InterruptedException {
    loop.listenLocal(directory.socket(), (identity, remote) -> new RankHandler());
    loop.execute(dialler::dial);
    ended.await();
  }

  /** Closes the daemon and leaves no process or file behind. Any thread. */
  synchronized void close() throws IOException, InterruptedException {
    if (closed) {
      return; // terminated, and ended by fmirun meanwhile
    }
    closed = true;
    // First, so that no process is started meanwhile.
    checker.shutdownNow();
    helperStarter.shutdownNow();
    boolean idle = starts.close(START_SECONDS);
    idle &= checker.awaitTermination(START_SECONDS, TimeUnit.SECONDS);
    idle &= helperStarter.awaitTermination(START_SECONDS, TimeUnit.SECONDS);
    directory.destroy();
    if (!checkpoints.equals(directory)) {
      checkpoints.delete();
    }
    program.close();
    // The JVM would wait 300 ms for its thread.
    loop.close();
    if (!idle) {
      throw new IOException("a process start or a file operation does not end");
    }
  }

  /**
   * Handles termination from outside the job: gives the ranks some time to leave. Any thread but
   * the loop's.
   */
  void terminated() throws InterruptedException {
    execute(
        () -> {
          // Before any process is killed, because its peers would report its death first.
          send(new FromDaemon.Terminated());
          terminated = true;
          noteIfEmpty();
        });
    empty.await(LEAVE_SECONDS, TimeUnit.SECONDS);
  }

  private void noteIfEmpty() {
    NodeDaemon daemon = decisions;
    if (terminated && (daemon == null || !daemon.hasRanks())) {
      empty.countDown();
    }
  }

  /** Ends the daemon. Any thread. */
  void end() {
    ended.countDown();
    empty.countDown();
  }

  @Override
  public void send(FromDaemon message) {
    session.send(FromDaemonCodec.encode(message));
  }

  /**
   * Returns free resources of the node, which all its ranks share and which are expensive to query.
   */
  private Map<Counter, Long> nodeLevels() {
    try {
      return energy.with(Map.of(Counter.NODE_MEMORY_FREE_BYTES, checkpoints.free()));
    } catch (IOException e) {
      return Map.of(); // the node is being removed: nothing reads this any more
    }
  }

  // ---- fmirun

  /** Handles the connection to fmirun. */
  private final class ToFmirun implements FmirunDialler.Line {
    @Override
    public void opened(Connection connection, InetSocketAddress address) {
      Daemon.this.opened(connection, address);
    }

    @Override
    public void received(Connection connection, ByteBuffer arrived) {
      try {
        ByteBuffer frame = session.received(connection, arrived);
        if (frame == null) {
          return;
        }
        switch (ToDaemonCodec.decode(frame)) {
          case ToDaemon.OutputTaken m -> Objects.requireNonNull(outputCredit).give(m.cost());
          case ToDaemon.Examine m -> examiner.examine(m);
          case ToDaemon.Serve _ -> server.serve();
          case ToDaemon.Keep m -> server.keep(m.needed());
          case ToDaemon m -> feed(new DaemonEvent.FromFmirun(m));
        }
      } catch (BadMessageException | Session.ProtocolException e) {
        System.err.println("fmi-daemon: fmirun sent an invalid message: " + e.getMessage());
        feed(new DaemonEvent.FmirunGone());
      }
    }

    @Override
    public void closed(Connection connection) {
      session.closed(connection);
      if (decisions != null && !decisions.hasEnded()) { // otherwise it ends
        dialler.redial();
      }
    }

    @Override
    public void gone() {
      if (decisions != null) {
        feed(new DaemonEvent.FmirunGone());
      }
    }

    @Override
    public void unreachable() {
      System.err.println(
          "fmi-daemon: cannot reach fmirun at any of "
              + bootstrap.addresses()
              + " port "
              + bootstrap.port()
              + ": is a firewall in between?");
      end();
    }
  }

  private void opened(Connection connection, InetSocketAddress address) {
    // fmirun, if it is on this machine.
    long parent = ProcessHandle.current().parent().map(ProcessHandle::pid).orElse(0L);
    connection.heartbeat(bootstrap.heartbeatMillis(), new Starvation(parent));
    session.open(connection);
    if (decisions != null) {
      return; // it is heard again
    }
    try (DatagramSocket route = new DatagramSocket()) {
      // Sends nothing: asks the system for the local address it would use.
      route.connect(address);
      String host = route.getLocalAddress().getHostAddress();
      decisions =
          new NodeDaemon(
              new NodeFacts(
                  bootstrap.jobId(),
                  bootstrap.secret(),
                  bootstrap.node(),
                  host,
                  directory.path().toString(),
                  checkpoints.path().toString(),
                  cores,
                  TimeUnit.MILLISECONDS.toNanos(bootstrap.heartbeatMillis()),
                  TimeUnit.MILLISECONDS.toNanos(bootstrap.graceMillis())));
      UsableCores usable = UsableCores.find();
      send(
          new FromDaemon.Hello(
              bootstrap.node(),
              ProcessHandle.current().pid(),
              usable.whole(),
              usable.cores(),
              checkpoints.free(),
              Runtime.version().toString(),
              host,
              listen(host)));
      if (!NodeDirectory.inMemory()) {
        send(
            new FromDaemon.Warning(
                "there is no /dev/shm on this node: shared memory is in "
                    + directory.path()
                    + ", which may be a slow disk"));
      }
    } catch (IOException e) {
      System.err.println("fmi-daemon: " + e.getMessage());
      end();
    }
  }

  /**
   * Listens for other daemons, which find out whether they reach this one, and for ranks of a later
   * job, which read checkpoints; returns the port.
   */
  private int listen(String host) throws IOException {
    return loop.listen(
            Endpoint.listening(host),
            bootstrap.proofMillis(),
            (identity, remote) ->
                Arrays.equals(identity, PieceQuestion.identity())
                    ? server.handler()
                    : Examiner.ANSWERING)
        .port();
  }

  // ---- decisions

  private void feed(DaemonEvent event) {
    NodeDaemon daemon = decisions;
    if (daemon == null) {
      throw new IllegalStateException(event + " before fmirun was there");
    }
    events.add(event);
    if (deciding || failed) {
      return;
    }
    deciding = true;
    try {
      DaemonEvent next;
      while ((next = events.poll()) != null) {
        daemon.on(System.nanoTime(), next).forEach(this::carryOut);
      }
      scheduleTick(daemon.nextTick());
      noteIfEmpty();
    } catch (Throwable e) {
      fail(e);
    } finally {
      deciding = false;
    }
  }

  /**
   * Ends the node after a bug of FMI, or if memory is exhausted: some event was not handled, for
   * which all ranks might wait.
   */
  private void fail(Throwable e) {
    failed = true;
    e.printStackTrace();
    send(new FromDaemon.Refused("internal error of its daemon: " + e));
    end();
  }

  private void scheduleTick(OptionalLong due) {
    if (due.isEmpty() || (tickScheduled && scheduledTick - due.getAsLong() <= 0)) {
      return;
    }
    long at = due.getAsLong();
    tickScheduled = true;
    scheduledTick = at;
    var _ =
        loop.schedule(
            Math.max(0, at - System.nanoTime()),
            TimeUnit.NANOSECONDS,
            () -> {
              tickScheduled &= scheduledTick != at;
              feed(new DaemonEvent.Tick());
            });
  }

  private void carryOut(DaemonCommand command) {
    switch (command) {
      case DaemonCommand.Prepare c -> prepare(c.setup());
      case DaemonCommand.Start c -> start(c.process(), c.ranksOnMachine(), c.jvmOptions());
      case DaemonCommand.Bind c -> {
        if (!Affinity.bind(process(c.process()).pid(), c.cores())) {
          feed(new DaemonEvent.NotBound(c.process(), NOT_BOUND));
        }
      }
      case DaemonCommand.Attach c -> process(c.process()).attach(c.rank(), c.incarnation(), this);
      case DaemonCommand.Forward c -> process(c.process()).send(addresses.share(c.message()));
      case DaemonCommand.Watch c -> process(c.process()).watch(c.timeoutMillis());
      case DaemonCommand.Input c -> process(c.process()).input(c.bytes());
      case DaemonCommand.AdoptLifeline c -> watchLifeline(process(c.process()));
      case DaemonCommand.Disconnect c -> process(c.process()).disconnect();
      case DaemonCommand.Kill c -> {
        RankProcess process = process(c.process());
        long resident = process.residentBytes(); // which it releases from then on
        if (process.kill()) {
          feed(new DaemonEvent.WasDying(c.process()));
        }
        feed(new DaemonEvent.Killed(c.process(), resident));
      }
      case DaemonCommand.Stop c -> process(c.process()).stop();
      case DaemonCommand.Continue c -> process(c.process()).resume();
      case DaemonCommand.Look c ->
          feed(new DaemonEvent.Seen(c.process(), ProcessStat.look(process(c.process()).pid())));
      case DaemonCommand.Terminate c -> process(c.process()).terminate();
      case DaemonCommand.Report c ->
          send(
              c.message() instanceof FromDaemon.Reports reports
                  ? reports.with(nodeLevels())
                  : c.message());
      case DaemonCommand.RunHelper c -> runHelper(c.task());
      case DaemonCommand.LookAtHelper _ ->
          feed(
              new DaemonEvent.HelperSeen(
                  Objects.requireNonNull(helper).look(), MachineLoad.text()));
      case DaemonCommand.KillHelper _ -> {
        Objects.requireNonNull(helper).kill();
        helper = null;
      }
      case DaemonCommand.Unpin c -> unpin(c.pieces());
      case DaemonCommand.UnpinUnknown c -> unpinUnknown(c.prefix(), c.known());
      case DaemonCommand.Forget c -> forget(c.rank());
      case DaemonCommand.SlowDown c -> energy.slowDown(c.cores(), c.megahertz());
      case DaemonCommand.End _ -> end();
    }
  }

  private RankProcess process(int number) {
    RankProcess process = processes.get(number);
    if (process == null) {
      throw new IllegalStateException("there is no process " + number);
    }
    return process;
  }

  // ---- processes

  private void prepare(NodeSetup setup) {
    outputCredit = new OutputCredit(setup.outputWindow(), FromDaemon.Output.PAUSE_MILLIS);
    try {
      on(checker, () -> keep(setup));
    } catch (OutOfMemoryError e) {
      feed(new DaemonEvent.Unfit(String.valueOf(e.getMessage()))); // threads are exhausted
    }
  }

  /** Keeps the program; run by the checker. */
  private void keep(NodeSetup setup) {
    try {
      NodeProgram kept = NodeProgram.keep(setup, bootstrap);
      program = kept;
      RankCommand made = new RankCommand(setup, kept, installation, directory.socket(), cores);
      loop.execute(
          () -> {
            command = made;
            feed(new DaemonEvent.Prepared());
          });
    } catch (IOException | InvalidPathException e) {
      loop.execute(() -> feed(new DaemonEvent.Unfit(String.valueOf(e.getMessage()))));
    }
  }

  private void start(int number, int ranksOnMachine, List<String> jvmOptions) {
    RankCommand known = command;
    if (known == null) {
      throw new IllegalStateException("start before setup");
    }
    starts.begin(
        "fmi-start-" + number,
        () -> known.build(ranksOnMachine, jvmOptions).start(),
        process -> execute(() -> begun(number, process)),
        reason -> execute(() -> feed(new DaemonEvent.NotStarted(number, reason))));
  }

  /** Runs a task on the loop. Any thread. */
  private void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The daemon is ending, and kills what it has started.
    }
  }

  private void begun(int number, Process process) {
    RankProcess rankProcess;
    try {
      rankProcess = new RankProcess(number, process, Objects.requireNonNull(outputCredit), this);
    } catch (OutOfMemoryError e) {
      process.destroyForcibly();
      feed(new DaemonEvent.NotStarted(number, String.valueOf(e.getMessage())));
      return;
    }
    processes.put(number, rankProcess);
    byPid.put(process.pid(), rankProcess);
    feed(new DaemonEvent.Started(number, process.pid()));
    RankHandler connected = early.remove(process.pid());
    if (connected != null) {
      connected.identified(rankProcess);
    }
    watch(rankProcess);
  }

  private void runHelper(FlushTask task) {
    FlushHelper known = helper;
    if (known == null) {
      known = new FlushHelper(installation, directory.socket(), this::fromHelper);
      helper = known;
    }
    FlushHelper running = known;
    try {
      on(helperStarter, () -> running.run(task));
    } catch (OutOfMemoryError e) {
      running.refused(e); // threads are exhausted
    }
  }

  private void fromHelper(DaemonEvent event) {
    execute(() -> feed(event));
  }

  private void unpin(List<String> pieces) {
    try {
      for (String piece : pieces) {
        checkpoints.deleteKept(piece);
      }
    } catch (IOException e) {
      send(new FromDaemon.Warning("memory reserved for files cannot be released: " + e));
    }
  }

  private void unpinUnknown(String prefix, List<String> known) {
    try {
      directory.deleteKept(prefix, Set.copyOf(known));
    } catch (IOException e) {
      send(new FromDaemon.Warning("memory reserved for files cannot be released: " + e));
    }
  }

  private void forget(int rank) {
    try {
      checkpoints.deleteCheckpoints(rank);
    } catch (IOException e) {
      send(
          new FromDaemon.Warning(
              "memory of rank " + rank + ", which has left this node, cannot be released: " + e));
    }
  }

  private static void on(ExecutorService executor, Runnable task) {
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      // The daemon is ending: nothing must be started any more.
    }
  }

  private void watch(RankProcess process) {
    Thread.ofVirtual()
        .name("fmi-watch-" + process.pid())
        .start(
            () -> {
              try {
                int status = process.await();
                loop.execute(() -> onExit(process, status));
                directory.deleteWarmUp(process.pid());
              } catch (IOException e) {
                send(new FromDaemon.Warning("cannot delete leftovers of a dead process: " + e));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (RejectedExecutionException e) {
                // The daemon is ending, and has killed it.
              }
            });
  }

  /** Reports the death of a process as soon as the system begins it. */
  void watchLifeline(RankProcess process) {
    try {
      Lifeline lifeline = Lifeline.adopt(directory.path(), process.pid());
      threads
          .apply("fmi-lifeline-" + process.pid())
          .newThread(() -> watch(process, lifeline))
          .start();
    } catch (IOException | OutOfMemoryError e) {
      send(new FromDaemon.Warning("the death of a rank will be noticed late: " + e.getMessage()));
    }
  }

  private void watch(RankProcess process, Lifeline lifeline) {
    try {
      if (lifeline.died()) {
        loop.execute(() -> feed(new DaemonEvent.Dying(process.number())));
      }
    } catch (RejectedExecutionException e) {
      // The daemon is ending, and has killed it.
    }
  }

  private void onExit(RankProcess process, int status) {
    // Another process may have its number by now.
    byPid.remove(process.pid(), process);
    process.input(InputPump.END);
    process.ended();
    if (process.isGone()) {
      processes.remove(process.number());
    }
    feed(new DaemonEvent.Exited(process.number(), status));
  }

  /** The connection of one process, identified by its first message. */
  private final class RankHandler implements ConnectionHandler {
    private @Nullable Connection connection;
    private @Nullable RankProcess process;

    @Override
    public void onOpen(Connection opened) {
      connection = opened;
    }

    @Override
    public void onFrame(Connection from, ByteBuffer frame) {
      try {
        FromRank message = FromRankCodec.decode(frame);
        RankProcess known = process;
        if (known != null) {
          feed(new DaemonEvent.FromProcess(known.number(), message));
        } else if (message instanceof FromRank.Hello hello) {
          greet(from, hello.pid());
        } else {
          from.close();
        }
      } catch (BadMessageException e) {
        send(new FromDaemon.Warning("a process sent an invalid message: " + e.getMessage()));
        from.close();
      }
    }

    private void greet(Connection from, long pid) {
      if (!isFrom(pid, from)) {
        send(new FromDaemon.Warning("rejected a connection that claimed to be process " + pid));
        from.close();
        return;
      }
      RankProcess known = byPid.get(pid);
      if (known == null ? early.putIfAbsent(pid, this) != null : known.hasConnected()) {
        from.close(); // it has another connection
      } else if (known != null) {
        identified(known);
      }
    }

    private static boolean isFrom(long pid, Connection from) {
      try {
        long peer = from.peerProcess();
        return peer == pid || peer == Connection.UNKNOWN_PROCESS;
      } catch (IOException e) {
        return false;
      }
    }

    void identified(RankProcess known) {
      Connection open = connection;
      if (open != null) {
        process = known;
        known.connected(open);
        String warmUp = directory.warmUp(known.pid()).toString();
        feed(new DaemonEvent.Connected(known.number(), warmUp));
      }
    }

    @Override
    public void onClosed(Connection closing, Closed closed) {
      connection = null;
      RankProcess known = process;
      if (known == null) {
        early.values().remove(this);
        return;
      }
      known.disconnected();
      if (known.isGone()) {
        processes.remove(known.number());
      }
      feed(new DaemonEvent.Disconnected(known.number(), closed.why() == Closed.Why.SILENT));
    }
  }
}
