package org.fmi.run.shell;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.fmi.job.Job;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.job.JobSpec;
import org.fmi.job.Notice;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.DaemonCodec;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToDaemon;
import org.fmi.net.Acceptor;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Loop;
import org.fmi.net.Server;
import org.fmi.run.launch.DaemonProcess;
import org.fmi.run.launch.Launcher;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.run.report.Console;
import org.fmi.run.report.EventLog;
import org.fmi.run.report.Progress;
import org.jspecify.annotations.Nullable;

/**
 * The I/O shell around a job's decision maker: feeds it what daemons and the user bring, carries
 * out what it decides. All state belongs to the loop's thread.
 */
final class JobShell {
  private static final long RECORD_LIMIT = 64 << 20;

  /**
   * How long a daemon may take from its start until it reports back; longer where silence may last
   * longer.
   */
  private static final int LAUNCH_SECONDS = 60;

  /** Pause between two attempts to start a lost node again. */
  private static final int RELAUNCH_MILLIS = 1000;

  /** Daemons that are being started at a time. */
  private static final int LAUNCHES = 16;

  /**
   * How long daemons may take to end by themselves; with what follows it is under 2 s, unless much
   * memory is to be deleted.
   */
  private static final int END_MILLIS = 1200;

  private static final int REPORT_MILLIS = 200;

  private static final int UNKNOWN_DAEMON = 1;
  private static final int FAILED = 70;

  /** What the shell needs from outside. */
  record Surroundings(
      String jobId,
      byte[] secret,
      Launcher launcher,
      InetSocketAddress listenAt,
      IntFunction<List<String>> addressesFor,
      InputStream input,
      Console console,
      @Nullable EventLog events) {}

  private final RunOptions options;
  private final JobSpec spec;
  private final Job job;
  private final Surroundings around;
  private final Progress progress;
  private final Loop loop;
  private final InputFeed input;
  private final Binding binding;

  /** Tells the user and writes events. */
  private final ExecutorService reporter =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("fmi-reporter").factory());

  /** Where the reporter writes events; null if nowhere, or not any more. */
  private @Nullable EventLog eventLog;

  private final Node[] nodes;
  private final int[] nodeOfRank;
  private final Semaphore launches = new Semaphore(LAUNCHES);
  private final CompletableFuture<Integer> result = new CompletableFuture<>();

  /** What the decision maker is to be told next. */
  private final Deque<Supplier<List<JobCommand>>> steps = new ArrayDeque<>();

  /** The signal by which somebody wants it to stop; 0 if nobody does. */
  private volatile int interruptedBy;

  /** What was shown is not all. */
  private volatile boolean outputLost;

  private boolean deciding;

  /** The newest epoch that has begun. */
  private int epoch;

  /** The newest one in which processes were asked to stand by. */
  private int standbyEpoch = -1;

  private int port;

  /** The exit status, once the end has begun. */
  private @Nullable Integer ending;

  /** Launches and fences under way, and daemons that run. */
  private final Set<Object> unfinished = new HashSet<>();

  /** One attempt to have a node's daemon, from its begin until the daemon is given up. */
  private static final class Launch {
    final int generation;

    /** Done when it has come out well or badly. */
    final CompletableFuture<?> settled = new CompletableFuture<>();

    /** Taken by its thread, which then starts it, or by the job's end: then nothing comes of it. */
    final AtomicBoolean turn = new AtomicBoolean();

    /** Whether the end has taken its turn. */
    boolean cancelled;

    Launch(int generation) {
      this.generation = generation;
    }
  }

  /** What is known of a node. */
  private static final class Node {
    final int number;
    int generation = -1;
    boolean up;
    long pid;
    @Nullable Launch launch;
    @Nullable Connection connection;
    @Nullable DaemonProcess process;
    CompletableFuture<?> fenced = CompletableFuture.completedFuture(null);

    Node(int number) {
      this.number = number;
    }
  }

  JobShell(RunOptions options, Job job, Surroundings around) {
    this.options = options;
    this.spec = options.spec();
    this.job = job;
    this.around = around;
    this.eventLog = around.events();
    this.progress = new Progress(options.verbosity(), spec, around.console()::line);
    this.binding = new Binding(spec, options.bind(), !options.ssh());
    this.loop = Loop.open("fmi-control", around.secret(), Loop.MAX_FRAME);
    this.nodes = new Node[spec.nodes().size()];
    Arrays.setAll(nodes, Node::new);
    this.nodeOfRank = new int[spec.size()];
    Arrays.fill(nodeOfRank, -1);
    this.input =
        new InputFeed(
            around.input(),
            new InputFeed.Way() {
              @Override
              public void execute(Runnable task) {
                post(task);
              }

              @Override
              public void send(int incarnation, byte[] bytes) {
                sendToRank(0, new ToDaemon.Input(incarnation, bytes));
              }
            });
  }

  /**
   * Runs the job to its end.
   *
   * @return the exit status
   * @throws IOException if not even the port for the daemons can be had
   */
  int run() throws IOException {
    Server server = loop.listen(around.listenAt(), options.heartbeatMillis(), this::accept);
    port = server.port();
    loop.execute(
        () -> {
          steps.add(job::begin);
          decide();
        });
    int status = result.join();
    reporter.execute(this::closeEvents);
    reporter.shutdown();
    try {
      boolean _ = reporter.awaitTermination(REPORT_MILLIS, TimeUnit.MILLISECONDS);
      // All output counts, however slowly it is read; but not for a user who wants to stop.
      around.console().drain(interruptedBy != 0 ? REPORT_MILLIS : Long.MAX_VALUE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    loop.close();
    return status == 0 && outputLost ? FAILED : status;
  }

  /** Output cannot be written, which the user was told. Any thread. */
  void outputLost() {
    outputLost = true;
    post(() -> fail(""));
  }

  /** The user wants it to end. Any thread. */
  void interrupt(int signal) {
    if (interruptedBy == 0) {
      // What follows may be its consequence: that nobody reads the output any more.
      interruptedBy = signal;
    }
    if (result.isDone()) {
      // Everything is over; only the output was still being written.
      Runtime.getRuntime().halt(128 + signal);
    }
    post(() -> feed(new JobEvent.Interrupted(signal)));
  }

  /** Runs it on the loop, unless all is over: then it does not matter any more. Any thread. */
  private void post(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The loop is closed.
    }
  }

  // ---- the decision maker

  private void feed(JobEvent event) {
    steps.add(() -> job.on(event));
    decide();
  }

  private void decide() {
    if (deciding) {
      return;
    }
    deciding = true;
    try {
      Supplier<List<JobCommand>> step;
      while ((step = steps.poll()) != null) {
        if (ending == null) {
          carryOut(step.get());
        }
      }
    } catch (Throwable e) {
      // A bug of ours, or no memory is left: nothing can be relied on, but nothing must stay
      // behind either.
      e.printStackTrace();
      fail("internal error: " + e);
    } finally {
      deciding = false;
    }
  }

  private void carryOut(List<JobCommand> commands) {
    List<Notice> notices = new ArrayList<>();
    for (JobCommand command : commands) {
      if (command instanceof JobCommand.Report report) {
        notices.add(report.notice());
      }
    }
    tell(notices);
    Map<Integer, Set<String>> bound = new LinkedHashMap<>();
    for (JobCommand command : commands) {
      switch (command) {
        case JobCommand.Spawn c ->
            bound.computeIfAbsent(c.node(), _ -> new LinkedHashSet<>()).add(spawn(c));
        case JobCommand.KillRank c ->
            send(nodes[c.node()], new ToDaemon.KillRank(c.rank(), c.incarnation()));
        case JobCommand.KillNode c -> killNode(nodes[c.node()], c.reason());
        case JobCommand.KillDaemon c -> killDaemon(nodes[c.node()]);
        case JobCommand.Launch c -> launch(nodes[c.node()]);
        case JobCommand.Tell c ->
            sendToRank(c.rank(), new ToDaemon.Tell(c.rank(), c.incarnation(), c.message()));
        case JobCommand.TellAll c -> tellAll(new ToDaemon.TellAll(c.message()));
        case JobCommand.Report _ -> {
          // above
        }
        case JobCommand.End c -> end(c.status(), c.message());
      }
    }
    if (options.verbosity() == Verbosity.VERBOSE && !bound.isEmpty()) {
      reporter.execute(() -> bound.forEach(this::reportBinding));
    }
    for (Notice notice : notices) {
      if (notice instanceof Notice.RecoveryBegun n) {
        epoch = n.epoch();
      } else if (notice instanceof Notice.CheckpointCommitted n && n.epoch() > standbyEpoch) {
        standbyEpoch = n.epoch();
        for (Node node : nodes) {
          if (node.up) {
            startStandbys(node);
          }
        }
      }
    }
  }

  /** Elsewhere: what is to be done must not wait for what is to be told. */
  private void tell(List<Notice> notices) {
    if (!notices.isEmpty()) {
      long nanos = System.nanoTime();
      long timeMillis = System.currentTimeMillis();
      reporter.execute(() -> report(notices, timeMillis, nanos));
    }
  }

  private void report(List<Notice> notices, long timeMillis, long nanos) {
    for (Notice notice : notices) {
      progress.on(notice, nanos);
      EventLog log = eventLog;
      if (log != null) {
        try {
          log.write(notice, timeMillis, nanos);
        } catch (IOException e) {
          eventLog = null;
          around
              .console()
              .line(
                  "fmirun: --events: cannot be written, from now on nothing is: " + e.getMessage());
        }
      }
    }
    progress.flush(nanos);
  }

  private void closeEvents() {
    EventLog log = eventLog;
    if (log != null) {
      try {
        log.close();
      } catch (IOException e) {
        around.console().line("fmirun: --events: the last ones were lost: " + e.getMessage());
      }
    }
  }

  private void reportBinding(int node, Set<String> texts) {
    around.console().line("fmi: " + name(nodes[node]) + ": " + String.join(", ", texts));
  }

  /**
   * Asks for processes that stand by: one on a node for a rank of it that dies, on a spare node as
   * many as a lost one may bring. Not before the first checkpoint of an epoch: they must not slow
   * down the start of the job, nor a recovery, and short programs never pay for them.
   */
  private void startStandbys(Node node) {
    int[] ranksOn = new int[nodes.length];
    for (int number : nodeOfRank) {
      if (number >= 0) {
        ranksOn[number]++;
      }
    }
    int most = Arrays.stream(ranksOn).max().orElse(0);
    int ranks = ranksOn[node.number];
    int count = ranks > 0 ? 1 : Math.min(most, spec.nodes().get(node.number).slots());
    send(node, new ToDaemon.Standbys(count, sharing(Math.max(ranks, count))));
  }

  /** How many ranks share a node's machine: local nodes are all on one. */
  private int sharing(int ranksOnNode) {
    return options.ssh() ? ranksOnNode : spec.size();
  }

  /** Returns what to tell of the cores it is bound to. */
  private String spawn(JobCommand.Spawn c) {
    nodeOfRank[c.rank()] = c.node();
    Binding.Choice choice = binding.choose(c.rank(), c.node());
    send(
        nodes[c.node()],
        new ToDaemon.Spawn(
            c.rank(),
            c.incarnation(),
            c.group(),
            c.ranksOnNode(),
            sharing(c.ranksOnNode()),
            choice.share(),
            c.faults()));
    if (c.rank() == 0 && !input.restart(c.incarnation())) {
      fail(
          "rank 0 was lost after it was given more than "
              + (InputFeed.KEPT >> 20)
              + " MiB of standard input, which is not kept for its replacement; let it read a file"
              + " instead");
    }
    return choice.text();
  }

  private void sendToRank(int rank, ToDaemon message) {
    int node = nodeOfRank[rank];
    if (node >= 0) {
      send(nodes[node], message);
    }
  }

  private static void send(Node node, ToDaemon message) {
    Connection open = node.connection;
    if (open != null) {
      open.send(DaemonCodec.encode(message));
    }
  }

  /** One copy for all: it may hold the addresses of all ranks. */
  private void tellAll(ToDaemon.TellAll message) {
    List<Connection> open = new ArrayList<>();
    for (Node node : nodes) {
      if (node.connection != null) {
        open.add(node.connection);
      }
    }
    loop.send(open, DaemonCodec.encode(message));
  }

  // ---- nodes

  private void launch(Node node) {
    Launch launch = new Launch(++node.generation);
    node.launch = launch;
    CompletableFuture<?> fenced = node.fenced;
    unfinished.add(launch);
    int seconds = Math.max(LAUNCH_SECONDS, options.heartbeatMillis() / 1000);
    Thread.ofVirtual()
        .name("fmi-launch-" + node.number)
        .start(
            () -> {
              fenced.join();
              launches.acquireUninterruptibly();
              String problem = null;
              try {
                if (launch.turn.compareAndSet(false, true)) {
                  DaemonProcess process = around.launcher().start(bootstrap(node, launch));
                  post(() -> launched(node, launch, process));
                  launch.settled.get(seconds, TimeUnit.SECONDS);
                }
              } catch (IOException
                  | UncheckedIOException
                  | ExecutionException
                  | InterruptedException
                  | OutOfMemoryError e) { // the last where there may be no more threads
                problem = String.valueOf(e.getMessage());
              } catch (TimeoutException e) {
                problem = "its daemon did not report back within " + seconds + " s";
              }
              launches.release();
              String why = problem;
              post(
                  () -> {
                    if (why != null) {
                      launchFailed(node, launch, why);
                    }
                    finished(launch);
                  });
            });
  }

  /** Asks the system for addresses, which may take seconds. Any thread. */
  private Bootstrap bootstrap(Node node, Launch launch) {
    return new Bootstrap(
        around.jobId(),
        node.number,
        launch.generation,
        around.secret(),
        around.addressesFor().apply(node.number),
        port,
        options.heartbeatMillis());
  }

  private void launched(Node node, Launch launch, DaemonProcess process) {
    unfinished.add(process);
    process.follow(
        line -> post(() -> daemonSays(node, launch, line)),
        reason ->
            post(
                () -> {
                  if (ending != null && node.process == process) {
                    node.process = null;
                    if (!process.endedWell()) {
                      fence(node);
                    }
                  } else {
                    launchFailed(node, launch, reason);
                  }
                  finished(process);
                }));
    if (node.launch == launch) {
      node.process = process;
    } else {
      process.kill();
      fence(node);
    }
  }

  /** What a daemon prints itself, which is only for trouble; ssh prints greetings too. */
  private void daemonSays(Node node, Launch launch, String line) {
    if ((node.launch == launch && node.up) || options.verbosity() == Verbosity.VERBOSE) {
      around.console().line("fmi: " + name(node) + ": " + line);
    }
  }

  private void launchFailed(Node node, Launch launch, String reason) {
    // Of one that is up its connection tells, and knows better why.
    if (node.launch != launch || node.up) {
      return;
    }
    forget(node);
    if (launch.generation == 0) {
      feed(new JobEvent.NodeLost(node.number, reason));
      return;
    }
    // Ranks wait for it.
    if (options.verbosity() == Verbosity.VERBOSE) {
      around.console().line("fmi: " + name(node) + " does not come back yet: " + reason);
    }
    fence(node);
    var _ =
        loop.schedule(
            RELAUNCH_MILLIS,
            TimeUnit.MILLISECONDS,
            () -> {
              if (ending == null && node.launch == null) {
                launch(node);
              }
            });
  }

  /** From now on whatever comes from the node's daemon comes from a stranger. */
  private static void forget(Node node) {
    node.up = false;
    Launch launch = node.launch;
    node.launch = null;
    if (launch != null) {
      launch.settled.complete(null);
    }
    disconnect(node);
    DaemonProcess process = node.process;
    node.process = null;
    if (process != null) {
      process.kill();
    }
  }

  private static void disconnect(Node node) {
    Connection open = node.connection;
    node.connection = null;
    if (open != null) {
      open.close();
    }
  }

  private void killNode(Node node, String reason) {
    boolean wasUp = node.up;
    forget(node);
    fence(node);
    if (wasUp) {
      steps.add(() -> job.on(new JobEvent.NodeLost(node.number, reason)));
    }
  }

  private void fence(Node node) {
    Object fence = new Object();
    unfinished.add(fence);
    CompletableFuture<?> before = node.fenced;
    node.fenced =
        CompletableFuture.runAsync(
            () -> {
              before.join();
              try {
                around.launcher().fence(around.jobId(), node.number);
              } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // What follows on the node must not wait for ever.
                around.console().line("fmi: " + name(node) + " cannot be cleaned up: " + e);
              } finally {
                post(() -> finished(fence));
              }
            },
            task -> Thread.ofVirtual().name("fmi-fence-" + node.number).start(task));
  }

  private void killDaemon(Node node) {
    long pid = node.pid;
    Thread.ofVirtual()
        .name("fmi-kill-" + node.number)
        .start(
            () -> {
              try {
                around.launcher().killDaemon(node.number, pid);
              } catch (IOException e) {
                around.console().line("fmi: the daemon of " + name(node) + " lives on: " + e);
              }
            });
  }

  // ---- daemons

  private ConnectionHandler accept(byte[] identity, String remote) throws Acceptor.Refused {
    if (identity.length == 2 * Integer.BYTES) {
      ByteBuffer fields = ByteBuffer.wrap(identity);
      int number = fields.getInt();
      int generation = fields.getInt();
      if (number >= 0 && number < nodes.length) {
        Node node = nodes[number];
        Launch launch = node.launch;
        if (launch != null && launch.generation == generation && node.connection == null) {
          return new DaemonHandler(node);
        }
      }
    }
    throw new Acceptor.Refused(UNKNOWN_DAEMON, "no daemon that is waited for");
  }

  /** The connection of one daemon. */
  private final class DaemonHandler implements ConnectionHandler {
    private final Node node;

    DaemonHandler(Node node) {
      this.node = node;
    }

    @Override
    public void onOpen(Connection connection) {
      connection.heartbeat(options.heartbeatMillis());
      node.connection = connection;
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      if (node.connection != connection) {
        return;
      }
      try {
        onMessage(node, DaemonCodec.decodeFromDaemon(frame));
      } catch (BadMessageException e) {
        lost(node, "its daemon sent nonsense: " + e.getMessage());
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      if (node.connection == connection) {
        lost(
            node,
            switch (closed.why()) {
              case SILENT -> "its daemon was " + closed.detail();
              case PEER, BROKEN -> "the connection to its daemon broke";
              case HERE, PROTOCOL, UNREACHABLE, REFUSED, NOT_AUTHENTIC ->
                  "the connection to its daemon ended (" + closed + ")";
            });
      }
    }
  }

  private void lost(Node node, String reason) {
    if (ending != null) {
      // Its end is what it was told; how it ends tells whether it has left something behind.
      disconnect(node);
      return;
    }
    Launch launch = node.launch;
    if (node.up || launch == null) {
      forget(node);
      feed(new JobEvent.NodeLost(node.number, reason));
    } else {
      launchFailed(node, launch, reason);
    }
  }

  private void onMessage(Node node, FromDaemon message) {
    switch (message) {
      case FromDaemon.Hello m -> {
        node.pid = m.pid();
        binding.found(node.number, m.cores(), m.whole());
        if (options.verbosity() == Verbosity.VERBOSE) {
          around
              .console()
              .line(
                  "fmi: "
                      + name(node)
                      + ": daemon "
                      + m.pid()
                      + ", "
                      + m.whole()
                      + " cores, "
                      + (m.memoryFree() >> 20)
                      + " MiB free for checkpoints, JDK "
                      + m.java());
        }
        send(node, new ToDaemon.Setup(setup()));
      }
      case FromDaemon.Ready _ -> {
        node.up = true;
        Launch launch = node.launch;
        if (launch != null) {
          launch.settled.complete(null);
        }
        if (standbyEpoch == epoch) {
          startStandbys(node);
        }
        feed(new JobEvent.NodeUp(node.number));
      }
      case FromDaemon.Refused m -> lost(node, m.reason());
      case FromDaemon.Warning m -> around.console().line("fmi: " + name(node) + ": " + m.text());
      case FromDaemon.RankExited m -> {
        if (known(m.rank())) {
          feed(
              new JobEvent.RankExited(
                  node.number, m.rank(), m.incarnation(), m.status(), m.signaled()));
        }
      }
      case FromDaemon.RankSilent m -> {
        if (known(m.rank())) {
          feed(new JobEvent.RankSilent(m.rank(), m.incarnation()));
        }
      }
      case FromDaemon.RankDying m -> {
        if (known(m.rank())) {
          feed(new JobEvent.RankDying(m.rank(), m.incarnation()));
        }
      }
      case FromDaemon.Said m -> {
        if (known(m.rank())) {
          feed(new JobEvent.FromRank(m.rank(), m.incarnation(), m.message()));
        }
      }
      case FromDaemon.Output m ->
          around
              .console()
              .output(
                  m.rank(), m.error(), m.bytes(), () -> post(() -> taken(node, m.bytes().length)));
      case FromDaemon.InputTaken m -> input.taken(m.incarnation(), m.bytes());
    }
  }

  private boolean known(int rank) {
    return rank >= 0 && rank < nodeOfRank.length;
  }

  private static void taken(Node node, int bytes) {
    send(node, new ToDaemon.OutputTaken(bytes));
  }

  private NodeSetup setup() {
    return new NodeSetup(
        spec.size(),
        options.program().mainClass(),
        options.program().args(),
        options.program().classPath(),
        options.jvmOptions(),
        options.environment(),
        options.directory().toString(),
        options.heartbeatMillis(),
        options.logRingBase(),
        RECORD_LIMIT,
        options.interval(),
        options.transports());
  }

  private String name(Node node) {
    return spec.nodes().get(node.number).name();
  }

  // ---- the end

  /** Ends the job for a reason of which its decision maker knows nothing. */
  private void fail(String message) {
    if (ending == null) {
      tell(List.of(new Notice.Finished(FAILED, epoch, message)));
      end(FAILED, message);
    }
  }

  private void end(int status, String message) {
    if (ending != null) {
      return;
    }
    ending = status;
    // First: what follows may not all succeed.
    var _ = loop.schedule(END_MILLIS, TimeUnit.MILLISECONDS, this::endByForce);
    if (!message.isEmpty()) {
      // Not behind events, whose file may be on a server that does not answer.
      around.console().line("fmirun: " + message);
    }
    for (Node node : nodes) {
      if (node.launch != null) {
        // All of them first: what ends now makes room for others.
        node.launch.cancelled = node.launch.turn.compareAndSet(false, true);
      }
    }
    for (Node node : nodes) {
      Launch launch = node.launch;
      if (node.connection != null) {
        send(node, new ToDaemon.ShutDown());
      } else if (launch != null) {
        forget(node);
        if (!launch.cancelled) {
          fence(node);
        }
      }
    }
    endWhenAllIsFinished();
  }

  private void endByForce() {
    for (Node node : nodes) {
      if (node.process != null) {
        forget(node);
        fence(node);
      }
    }
    if (options.ssh()) {
      // Hosts that cannot be reached are not waited for.
      var _ =
          loop.schedule(END_MILLIS / 4, TimeUnit.MILLISECONDS, () -> result.complete(exitStatus()));
    } else {
      // Here nothing but the deletion of much memory takes long, and nobody else would go on with
      // it.
      var _ =
          CompletableFuture.allOf(
                  Arrays.stream(nodes)
                      .map(node -> node.fenced)
                      .toArray(CompletableFuture<?>[]::new))
              .whenComplete((_, _) -> post(() -> result.complete(exitStatus())));
    }
  }

  private void finished(Object task) {
    unfinished.remove(task);
    if (ending != null) {
      endWhenAllIsFinished();
    }
  }

  private void endWhenAllIsFinished() {
    if (unfinished.isEmpty()) {
      result.complete(exitStatus());
    }
  }

  private int exitStatus() {
    Integer status = ending;
    if (status == null) {
      return FAILED;
    }
    // Ctrl-C reaches all in the foreground: a daemon that is being started may have failed first.
    return status != 0 && interruptedBy != 0 ? 128 + interruptedBy : status;
  }
}
