package org.fmi.run.shell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.fmi.job.JobEvent;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromDaemonCodec;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToDaemonCodec;
import org.fmi.net.Acceptor;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.NetLoop;
import org.fmi.net.Session;
import org.fmi.node.Refusal;
import org.fmi.run.launch.DaemonProcess;
import org.fmi.run.launch.StartFailure;
import org.fmi.run.options.RunOptions;
import org.fmi.run.options.RunOptions.Verbosity;
import org.fmi.run.process.MachineLoad;
import org.fmi.run.shell.NodeHandle.Launch;
import org.jspecify.annotations.Nullable;

/**
 * Launches the daemons of a job's nodes, accepts their connections, and fences nodes that are given
 * up. Belongs to the loop's thread; slow work runs on other threads.
 */
final class Nodes {
  /** The pause between two attempts to restart a lost node. */
  private static final int RELAUNCH_MILLIS = 1000;

  /** Maximum number of daemons being started at a time. */
  private static final int LAUNCHES = 16;

  private static final int UNKNOWN_DAEMON = 1;

  /** Receives events of nodes, on the loop's thread. */
  interface Listener {
    /** A daemon has sent a message. */
    void onMessage(NodeHandle node, FromDaemon message);

    /** A node that is up is silent, or heard again. */
    void onHearing(JobEvent event);

    /** A node that was up is lost, or a node could not be launched, or cannot be used. */
    void onLost(NodeHandle node, JobEvent loss);
  }

  private final RunOptions options;
  private final ShellContext around;
  private final NetLoop loop;
  private final Executor post;
  private final Ending ending;
  private final Listener listener;
  private final List<NodeHandle> all = new ArrayList<>();
  private final Semaphore launches = new Semaphore(LAUNCHES);

  /** The duration of a lease, and the time for which a silent daemon may return, in nanoseconds. */
  private final long term;

  private final long grace;
  private int port;
  private boolean reportedStarved;

  /**
   * @param post runs tasks on the loop's thread, and drops them once the loop is closed
   */
  Nodes(
      RunOptions options,
      ShellContext around,
      NetLoop loop,
      Executor post,
      Ending ending,
      Listener listener) {
    this.options = options;
    this.around = around;
    this.loop = loop;
    this.post = post;
    this.ending = ending;
    this.listener = listener;
    this.term = TimeUnit.MILLISECONDS.toNanos(options.job().heartbeatMillis());
    this.grace = TimeUnit.MILLISECONDS.toNanos(options.patience().graceMillis());
    options.spec().nodes().forEach(node -> add(node.name()));
  }

  /**
   * Listens for daemons. Called before the loop has work.
   *
   * @throws IOException if there is no free port
   */
  void listen() throws IOException {
    int proofMillis = instructions(-1, 0, 0, List.of()).proofMillis();
    port = loop.listen(around.listenAt(), proofMillis, this::accept).port();
  }

  /** Adds a node, with the next number. */
  void add(String name) {
    all.add(new NodeHandle(all.size(), name));
  }

  NodeHandle get(int number) {
    return all.get(number);
  }

  /** Runs an action with the node of this name, if there is one. */
  void find(String name, Consumer<NodeHandle> what) {
    all.stream().filter(node -> node.name.equals(name)).forEach(what);
  }

  List<NodeHandle> all() {
    return all;
  }

  /**
   * Sends a message to all daemons. One copy for all, because it may hold the addresses of all
   * ranks.
   */
  void sendAll(ToDaemon message) {
    List<Session> sessions =
        all.stream().map(node -> node.session).filter(Objects::nonNull).toList();
    Session.sendAll(loop, sessions, ToDaemonCodec.encode(message));
  }

  /** Has the daemon of a node find out which daemons of other nodes it reaches. */
  void examine(NodeHandle node, int round, List<Integer> others) {
    List<ToDaemon.Peer> peers = new ArrayList<>();
    for (int other : others) {
      ToDaemon.Peer listens = all.get(other).listens;
      if (other != node.number && all.get(other).up && listens != null) {
        peers.add(listens);
      }
    }
    node.send(new ToDaemon.Examine(round, options.job().heartbeatMillis() / 2, peers));
  }

  // ---- launching

  /** Launches a daemon, which takes over the memory of the last one if that is kept. */
  void launch(NodeHandle node) {
    node.generation++;
    if (!node.orphaned) {
      node.memory = node.generation;
    }
    Launch launch = new Launch(node.generation, node.memory);
    node.launch = launch;
    CompletableFuture<?> fenced = node.fenced;
    ending.started(launch);
    Thread.ofVirtual()
        .name("fmi-launch-" + node.number)
        .start(
            () -> {
              fenced.join();
              launches.acquireUninterruptibly();
              String problem = null;
              try {
                if (launch.turn.compareAndSet(false, true)) {
                  DaemonProcess process =
                      around.launcher().start(node.name, bootstrap(node, launch));
                  post.execute(() -> launched(node, launch, process));
                  problem = problem(node, launch, process);
                }
              } catch (IOException
                  | UncheckedIOException
                  | ExecutionException
                  | InterruptedException
                  | OutOfMemoryError e) { // the last if threads are exhausted
                problem = Refusal.text(e);
              }
              launches.release();
              String why = problem;
              post.execute(
                  () -> {
                    if (why != null) {
                      launchFailed(node, launch, StartFailure.ofNode(why));
                    }
                    ending.finished(launch);
                  });
            });
  }

  /**
   * Waits for the end of an attempt.
   *
   * @return why it is given up; null if it has succeeded, or is known to have failed
   */
  private @Nullable String problem(NodeHandle node, Launch launch, DaemonProcess process)
      throws ExecutionException, InterruptedException {
    StartLimit limit = new StartLimit(options.patience().startMillis(), System.nanoTime());
    while (true) {
      try {
        launch.settled.get(limit.pauseNanos(), TimeUnit.NANOSECONDS);
        return null;
      } catch (TimeoutException e) {
        switch (limit.look(System.nanoTime(), process.look())) {
          case WAITS -> {}
          case IS_STARVED -> post.execute(() -> sayStarved(node));
          case IS_OVER -> {
            return limit.problem(MachineLoad.text());
          }
        }
      }
    }
  }

  /** Reports slow starts once, because all starts here are as slow. */
  private void sayStarved(NodeHandle node) {
    if (!reportedStarved && options.output().verbosity() != Verbosity.QUIET) {
      say(node, StartLimit.delay(MachineLoad.text()));
    }
    reportedStarved = true;
  }

  /** Queries the system for addresses, which may take seconds. Any thread. */
  private Bootstrap bootstrap(NodeHandle node, Launch launch) {
    return instructions(
        node.number, launch.generation, launch.memory, around.addressesFor().apply(node.name));
  }

  /** Returns the instructions of a node's last daemon, for those who look for it. Any thread. */
  private Bootstrap last(int node, int generation) {
    return instructions(node, generation, generation, List.of());
  }

  private Bootstrap instructions(int node, int generation, int memory, List<String> addresses) {
    Path pieces = options.checkpoints().nodeDir();
    return new Bootstrap(
        around.jobId(),
        node,
        generation,
        memory,
        around.secret(),
        addresses,
        port,
        pieces == null ? "" : pieces.toString(),
        options.job().heartbeatMillis(),
        options.patience().graceMillis(),
        options.patience().startMillis());
  }

  private void launched(NodeHandle node, Launch launch, DaemonProcess process) {
    ending.started(process);
    process.follow(
        (line, noise) -> post.execute(() -> printDaemonLine(node, launch, line, noise)),
        failure ->
            post.execute(
                () -> {
                  exited(node, launch, process, failure);
                  ending.finished(process);
                }));
    if (node.launch == launch) {
      node.process = process;
    } else {
      process.kill();
      // Not a later launch, which may be under way.
      fence(node, launch.generation);
    }
  }

  private void exited(NodeHandle node, Launch launch, DaemonProcess process, StartFailure failure) {
    if (ending.begun() && node.process == process) {
      node.process = null;
      if (!process.endedWell()) {
        fence(node, node.generation);
      }
    } else {
      launchFailed(node, launch, failure);
      loseIfGone(node);
    }
  }

  /** Prints a daemon's own output, which only concerns problems; ssh prints greetings as well. */
  private void printDaemonLine(NodeHandle node, Launch launch, String line, boolean noise) {
    if (!noise && node.launch == launch && node.up) {
      say(node, ": " + line);
    } else {
      sayIfVerbose(node, ": " + line);
    }
  }

  private void launchFailed(NodeHandle node, Launch launch, StartFailure failure) {
    // For a node that is up, the connection reports the loss with a better reason.
    if (node.launch != launch || node.up) {
      return;
    }
    node.forget();
    if (launch.generation == 0) {
      listener.onLost(
          node, new JobEvent.NodeLost(node.number, failure.reason(), failure.general()));
      return;
    }
    // Ranks wait for it.
    sayIfVerbose(node, " has not returned yet: " + failure.reason());
    if (!node.orphaned) {
      fence(node, node.generation);
    }
    var _ =
        loop.schedule(
            RELAUNCH_MILLIS,
            TimeUnit.MILLISECONDS,
            () -> {
              if (ending.begun() || node.launch != null) {
                return;
              }
              if (node.orphaned && System.nanoTime() - node.orphanedAt > grace) {
                listener.onLost(node, new JobEvent.NodeLost(node.number, failure.reason()));
              } else if (node.orphaned) {
                listener.onLost(node, new JobEvent.DaemonLost(node.number, failure.reason()));
              } else {
                launch(node);
              }
            });
  }

  // ---- giving up

  void kill(NodeHandle node, String reason) {
    boolean wasUp = node.up;
    node.forget();
    node.orphaned = false;
    fence(node, node.generation);
    if (wasUp) {
      listener.onLost(node, new JobEvent.NodeLost(node.number, reason));
    }
  }

  void killDaemon(NodeHandle node) {
    long pid = node.pid;
    Thread.ofVirtual()
        .name("fmi-kill-" + node.number)
        .start(
            () -> {
              try {
                around.launcher().killDaemon(node.name, pid);
              } catch (IOException e) {
                around.console().line("fmi: cannot kill the daemon of " + node.name + ": " + e);
              }
            });
  }

  /** Handles a refusal of a daemon: the program cannot run on its node, or no longer. */
  void refused(NodeHandle node, String reason) {
    Launch launch = node.launch;
    if (node.up || ending.begun() || launch == null) {
      lost(node, reason);
    } else if (launch.generation == 0) {
      node.forget();
      listener.onLost(node, new JobEvent.NodeUnfit(node.number, reason));
    } else {
      if (!reason.equals(node.refusal)) {
        node.refusal = reason;
        say(node, " returned but cannot be used: " + reason + "; retrying");
      }
      launchFailed(node, launch, StartFailure.ofNode(reason));
    }
  }

  /** Handles a daemon that is gone or must be given up. */
  void lost(NodeHandle node, String reason) {
    if (ending.begun()) {
      // It was ordered to end; the end of its process shows whether it left something behind.
      node.disconnect();
      return;
    }
    Launch launch = node.launch;
    if (node.up || launch == null) {
      node.forget();
      listener.onLost(node, new JobEvent.NodeLost(node.number, reason));
    } else {
      launchFailed(node, launch, StartFailure.ofNode(reason));
    }
  }

  /** Handles a daemon that has ended while its host lives, as far as known. */
  private void daemonLost(NodeHandle node, String reason) {
    if (node.terminated || ending.begun()) {
      lost(node, reason);
    } else {
      node.forget();
      node.orphaned = true;
      node.orphanedAt = System.nanoTime();
      listener.onLost(node, new JobEvent.DaemonLost(node.number, reason));
    }
  }

  /**
   * Removes everything that a daemon of the node, and earlier ones, have left.
   *
   * @param generation generation of the daemon
   */
  private void fence(NodeHandle node, int generation) {
    Object fence = new Object();
    ending.started(fence);
    CompletableFuture<?> before = node.fenced;
    node.fenced =
        CompletableFuture.runAsync(
            () -> {
              before.join();
              try {
                around.launcher().fence(node.name, last(node.number, generation));
              } catch (IOException | RuntimeException | OutOfMemoryError e) {
                // The next launch on the node must not wait forever.
                say(node, " cannot be cleaned up: " + e);
              } finally {
                post.execute(() -> ending.finished(fence));
              }
            },
            task -> Thread.ofVirtual().name("fmi-fence-" + node.number).start(task));
  }

  // ---- the end of the job

  /** Orders all daemons to end, and gives up those without a connection. */
  void shutDown() {
    for (NodeHandle node : all) {
      if (node.launch != null) {
        // All of them first: ended ones make room for others.
        node.launch.cancelled = node.launch.turn.compareAndSet(false, true);
      }
    }
    for (NodeHandle node : all) {
      Launch launch = node.launch;
      if (node.connection != null) {
        node.send(new ToDaemon.ShutDown());
      } else if (launch != null || node.orphaned) {
        node.forget();
        if (node.orphaned || (launch != null && !launch.cancelled)) {
          fence(node, node.generation);
        }
      }
    }
  }

  /**
   * Ends all daemons that still run.
   *
   * @param since time at which the end began
   * @return completes when nothing is left of any daemon on this machine, or of one that was heard
   *     shortly before the end: its host is reachable, however slow
   */
  CompletableFuture<?> endByForce(long since) {
    for (NodeHandle node : all) {
      if (node.process != null) {
        node.forget();
        fence(node, node.generation);
      }
    }
    Stream<CompletableFuture<?>> fenced =
        all.stream()
            .filter(node -> options.where().isLocal() || since - node.heardAt < term)
            .map(node -> node.fenced);
    return CompletableFuture.allOf(fenced.toArray(CompletableFuture<?>[]::new));
  }

  // ---- connections

  private ConnectionHandler accept(byte[] identity, String remote) throws Acceptor.Refused {
    if (identity.length == 2 * Integer.BYTES) {
      ByteBuffer fields = ByteBuffer.wrap(identity);
      int number = fields.getInt();
      int generation = fields.getInt();
      if (number >= 0 && number < all.size()) {
        NodeHandle node = all.get(number);
        Launch launch = node.launch;
        if (launch != null && launch.generation == generation) {
          return new DaemonHandler(node, launch);
        }
      }
    }
    throw new Acceptor.Refused(UNKNOWN_DAEMON, "not an expected daemon");
  }

  /** The connection of one daemon. */
  private final class DaemonHandler implements ConnectionHandler {
    private final NodeHandle node;
    private final Launch launch;

    DaemonHandler(NodeHandle node, Launch launch) {
      this.node = node;
      this.launch = launch;
    }

    @Override
    public void onOpen(Connection connection) {
      if (node.launch != launch) {
        connection.close(); // given up in the meantime
        return;
      }
      connection.heartbeat(
          options.job().heartbeatMillis(), () -> node.process != null && node.process.isStarved());
      node.disconnect(); // its daemon has given up the last one
      node.connection = connection;
      node.closed = null;
      node.heardAt = System.nanoTime();
      if (node.session == null) {
        node.session = new Session();
      }
      node.session.open(connection);
      if (node.silent) {
        node.silent = false;
        listener.onHearing(new JobEvent.NodeHeard(node.number));
      }
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer arrived) {
      Session session = node.session;
      if (node.connection != connection || session == null) {
        return;
      }
      try {
        ByteBuffer frame = session.received(connection, arrived);
        node.heardAt = System.nanoTime();
        if (frame != null) {
          listener.onMessage(node, FromDaemonCodec.decode(frame));
        }
      } catch (BadMessageException | Session.ProtocolException e) {
        lost(node, "its daemon sent an invalid message: " + e.getMessage());
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      if (node.connection == connection) {
        node.leave(connection);
        node.connection = null;
        node.closed = closed;
        node.breaks++;
        boolean mayReturn =
            switch (closed.why()) {
              case SILENT, PEER, BROKEN -> !node.terminated;
              case HERE, PROTOCOL, UNREACHABLE, NO_LISTENER, REFUSED, NOT_AUTHENTIC -> false;
            };
        if (!node.up || ending.begun() || !mayReturn) {
          lost(node, why(node, closed));
        } else if (!loseIfGone(node)) {
          awaitReturn(node, launch, why(node, closed));
        }
      }
    }
  }

  private static String why(NodeHandle node, Closed closed) {
    return switch (closed.why()) {
      case SILENT -> "its daemon was " + closed.detail();
      case PEER, BROKEN ->
          node.terminated ? NodeHandle.TERMINATED : "the connection to its daemon broke";
      case HERE, PROTOCOL, UNREACHABLE, NO_LISTENER, REFUSED, NOT_AUTHENTIC ->
          "the connection to its daemon ended (" + closed + ")";
    };
  }

  // ---- silence

  /** Lets the ranks of a node run for another term. */
  void grant(NodeHandle node, FromDaemon.LeaseRequest request) {
    node.grantedAt = System.nanoTime();
    node.send(new ToDaemon.LeaseGranted(request.request()));
  }

  /**
   * Gives a node up whose daemon is known to have ended: the process on this machine was the
   * daemon, or it has ended as well as the connection, which the system of the daemon has closed.
   * If the connection broke otherwise, the system of the node is asked.
   */
  private boolean loseIfGone(NodeHandle node) {
    Closed closed = node.closed;
    DaemonProcess process = node.process;
    if (!node.up || closed == null || process == null || process.isAlive()) {
      return false;
    }
    boolean gone = process.isDaemon() || closed.why() == Closed.Why.PEER;
    if (gone) {
      daemonLost(node, why(node, closed));
    } else {
      askForDaemon(node, why(node, closed));
    }
    return gone;
  }

  /**
   * Asks the system of a node whether its daemon has ended. Without an answer it may return until
   * the end of the grace.
   */
  private void askForDaemon(NodeHandle node, String why) {
    Launch launch = node.launch;
    int breaks = node.breaks;
    Bootstrap last = last(node.number, node.generation);
    Thread.ofVirtual()
        .name("fmi-ask-" + node.number)
        .start(
            () -> {
              try {
                if (around.launcher().isDead(node.name, last)) {
                  post.execute(
                      () -> {
                        if (isAway(node, launch, breaks)) {
                          daemonLost(node, why);
                        }
                      });
                }
              } catch (IOException e) {
                sayIfVerbose(node, " cannot be asked whether its daemon has ended: " + e);
              }
            });
  }

  /** Whether a daemon has not returned since its connection broke, and is still awaited. */
  private boolean isAway(NodeHandle node, @Nullable Launch launch, int breaks) {
    return node.launch == launch
        && node.connection == null
        && node.breaks == breaks
        && !ending.begun();
  }

  /**
   * Waits for the daemon of a node to connect again. Its node is silent when its lease has
   * certainly ended, and lost after the grace, when the daemon has certainly given up.
   */
  private void awaitReturn(NodeHandle node, Launch launch, String why) {
    long leaseEnds = Math.max(0, node.grantedAt + term - System.nanoTime());
    after(leaseEnds + term / 2, node, launch, node.breaks, () -> silent(node));
    after(leaseEnds + grace, node, launch, node.breaks, () -> lost(node, why));
  }

  /** Runs an action after a delay, unless the node has another connection by then. */
  private void after(long nanos, NodeHandle node, Launch launch, int breaks, Runnable action) {
    long due = System.nanoTime() + nanos;
    var _ =
        loop.schedule(
            nanos,
            TimeUnit.NANOSECONDS,
            () -> {
              if (!isAway(node, launch, breaks)) {
                return;
              }
              if (System.nanoTime() - due > term / 2) {
                // This process was stopped, and has not yet seen who has called meanwhile.
                after(term, node, launch, breaks, action);
              } else {
                action.run();
              }
            });
  }

  private void silent(NodeHandle node) {
    long now = System.nanoTime();
    List<NodeHandle> up = all.stream().filter(each -> each.up).toList();
    long quiet =
        up.stream().filter(each -> each.closed != null || now - each.heardAt > term).count();
    node.silent = true;
    listener.onHearing(new JobEvent.NodeSilent(node.number, 2 * quiet <= up.size()));
  }

  // ---- notices

  /** Prints a notice about a node. Any thread. */
  void say(NodeHandle node, String text) {
    around.console().line("fmi: " + node.name + text);
  }

  /** Reports the resources that a daemon has found on its node. */
  void describe(NodeHandle node, FromDaemon.Hello hello) {
    sayIfVerbose(
        node,
        ": daemon "
            + hello.pid()
            + ", "
            + hello.whole()
            + " cores, "
            + (hello.memoryFree() >> 20)
            + " MiB free for checkpoints, JDK "
            + hello.java());
  }

  /** Prints a notice about a node in verbose mode. Any thread. */
  private void sayIfVerbose(NodeHandle node, String text) {
    if (options.output().verbosity() == Verbosity.VERBOSE) {
      say(node, text);
    }
  }
}
