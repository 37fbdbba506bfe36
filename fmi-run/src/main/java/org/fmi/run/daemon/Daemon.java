package org.fmi.run.daemon;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.fmi.control.RankMessage;
import org.fmi.job.control.BadMessageException;
import org.fmi.job.control.Bootstrap;
import org.fmi.job.control.CoreShare;
import org.fmi.job.control.CoreShare.Bound;
import org.fmi.job.control.DaemonCodec;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.RankCodec;
import org.fmi.job.control.ToDaemon;
import org.fmi.net.Closed;
import org.fmi.net.Connection;
import org.fmi.net.ConnectionHandler;
import org.fmi.net.Loop;
import org.fmi.run.Installation;
import org.fmi.run.lifeline.Lifeline;
import org.fmi.run.process.Affinity;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * The task daemon of one node: carries out what fmirun says and reports what happens to its ranks.
 * Ends, and its ranks with it, when it is told to or when fmirun is gone. All state belongs to the
 * loop's thread.
 */
final class Daemon implements Uplink {
  /** Output that fmirun has not written yet, in bytes. */
  private static final int OUTPUT_WINDOW = 256 << 10;

  private static final int CONNECT_MILLIS = 5000;

  /** How long a process that has closed its connection, and did not say why, may still live. */
  private static final int EXIT_GRACE_MILLIS = 2000;

  /** How long one that says that it is ending may let others wait. */
  private static final int END_SECONDS = 30;

  /** How long a killed process may take to die: it may have much memory to give back. */
  private static final int DEATH_SECONDS = 30;

  /** A rank's process that has not connected after so long is told of. */
  private static final int MISSING_SECONDS = 60;

  /** How long the start of a process may take, up to its exec. */
  private static final int START_SECONDS = 5;

  /** After so many standbys that ended by themselves no more are started. */
  private static final int STANDBY_FAILURES = 3;

  private final Bootstrap bootstrap;
  private final Installation installation;
  private final NodeDirectory directory;
  private final Loop loop;
  private final int cores = Runtime.getRuntime().availableProcessors();
  private final OutputCredit outputCredit =
      new OutputCredit(OUTPUT_WINDOW + LineAssembler.MAX_LINE);
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * Starts all processes, and looks for the program's files, which may take long. One thread that
   * lives as long as the daemon: the system kills a rank when the thread that started it ends.
   */
  private final ExecutorService starter =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("fmi-starter").factory());

  private final Map<Long, RankProcess> processes = new HashMap<>();

  /** Connected, and heard of from the starter in a moment. */
  private final Map<Long, RankHandler> early = new HashMap<>();

  private final Map<Integer, RankProcess> ranks = new HashMap<>();
  private final Deque<RankProcess> standbys = new ArrayDeque<>();

  /** Ranks whose process is being started, with what they are to be told. */
  private final Map<Integer, Starting> starting = new HashMap<>();

  private volatile @Nullable Connection fmirun;
  private @Nullable NodeSetup setup;
  private @Nullable RankCommand command;
  private String host = "";
  private int standbysWanted;
  private int standbysStarting;
  private int standbyFailures;
  private int standbyShare = 1;
  private boolean warnedOfBinding;

  /** A rank whose process does not exist yet. */
  private static final class Starting {
    final RankConfig config;
    final List<org.fmi.control.JobMessage> messages = new ArrayList<>();
    final List<byte[]> input = new ArrayList<>();
    boolean killed;

    Starting(RankConfig config) {
      this.config = config;
    }
  }

  Daemon(Bootstrap bootstrap, Installation installation, NodeDirectory directory) {
    this.bootstrap = bootstrap;
    this.installation = installation;
    this.directory = directory;
    this.loop = Loop.open("fmi-daemon", bootstrap.secret(), Loop.MAX_FRAME);
  }

  /** Serves until the end. */
  void run() throws IOException, InterruptedException {
    loop.listenLocal(directory.socket(), (identity, remote) -> new RankHandler());
    loop.execute(() -> connect(0));
    ended.await();
  }

  /** Leaves nothing behind: no process, no file. Any thread. */
  void close() throws IOException, InterruptedException {
    // First, so that no process is started behind our back.
    starter.shutdownNow();
    boolean idle = starter.awaitTermination(START_SECONDS, TimeUnit.SECONDS);
    directory.destroy();
    // The virtual machine would wait 300 ms for its thread.
    loop.close();
    if (!idle) {
      throw new IOException("a process is being started, or a file looked for, without an end");
    }
  }

  /** Ends it. Any thread. */
  void end() {
    ended.countDown();
  }

  @Override
  public void send(FromDaemon message) {
    Connection open = fmirun;
    if (open != null) {
      open.send(DaemonCodec.encode(message));
    }
  }

  // ---- fmirun

  private void connect(int index) {
    if (index == bootstrap.addresses().size()) {
      System.err.println(
          "fmi-daemon: cannot reach fmirun at any of "
              + bootstrap.addresses()
              + " port "
              + bootstrap.port()
              + ": is a firewall in between?");
      end();
      return;
    }
    InetSocketAddress address =
        new InetSocketAddress(bootstrap.addresses().get(index), bootstrap.port());
    byte[] identity =
        ByteBuffer.allocate(2 * Integer.BYTES)
            .putInt(bootstrap.node())
            .putInt(bootstrap.generation())
            .array();
    loop.connect(
        address,
        identity,
        CONNECT_MILLIS,
        new ConnectionHandler() {
          @Override
          public void onOpen(Connection connection) {
            opened(connection, address);
          }

          @Override
          public void onFrame(Connection connection, ByteBuffer frame) {
            try {
              onMessage(DaemonCodec.decodeToDaemon(frame));
            } catch (BadMessageException e) {
              System.err.println("fmi-daemon: fmirun sent nonsense: " + e.getMessage());
              end();
            }
          }

          @Override
          public void onClosed(Connection connection, Closed closed) {
            if (fmirun != null) {
              end();
            } else {
              connect(index + 1);
            }
          }
        });
  }

  private void opened(Connection connection, InetSocketAddress address) {
    try (DatagramSocket route = new DatagramSocket()) {
      // Sends nothing: asks the system which of its addresses it would use.
      route.connect(address);
      host = route.getLocalAddress().getHostAddress();
      connection.heartbeat(bootstrap.heartbeatMillis());
      fmirun = connection;
      UsableCores usable = UsableCores.find();
      send(
          new FromDaemon.Hello(
              bootstrap.node(),
              ProcessHandle.current().pid(),
              usable.whole(),
              usable.cores(),
              directory.free(),
              Runtime.version().toString()));
      if (!NodeDirectory.inMemory()) {
        send(
            new FromDaemon.Warning(
                "there is no /dev/shm here: checkpoints go to "
                    + directory.path()
                    + ", which may be a slow disk"));
      }
    } catch (IOException e) {
      System.err.println("fmi-daemon: " + e.getMessage());
      end();
    }
  }

  private void onMessage(ToDaemon message) {
    switch (message) {
      case ToDaemon.Setup m -> onSetup(m.setup());
      case ToDaemon.Spawn m -> onSpawn(m);
      case ToDaemon.KillRank m -> onKill(m.rank(), m.incarnation());
      case ToDaemon.Tell m -> {
        Starting soon = starting.get(m.rank());
        RankProcess process = ranks.get(m.rank());
        if (soon != null && soon.config.incarnation() == m.incarnation()) {
          soon.messages.add(m.message());
        } else if (process != null && isIncarnation(process, m.incarnation())) {
          process.tell(m.message());
        }
      }
      case ToDaemon.TellAll m -> {
        ranks.values().forEach(process -> process.tell(m.message()));
        starting.values().forEach(soon -> soon.messages.add(m.message()));
      }
      case ToDaemon.Standbys m -> {
        standbysWanted = m.count();
        standbyShare = m.ranksOnMachine();
        startStandbys();
        ranks.values().forEach(RankProcess::holdLifeline);
      }
      case ToDaemon.Input m -> {
        Starting soon = starting.get(0);
        RankProcess process = ranks.get(0);
        if (soon != null && soon.config.incarnation() == m.incarnation()) {
          soon.input.add(m.bytes());
        } else if (process != null && isIncarnation(process, m.incarnation())) {
          process.input(m.bytes());
        }
      }
      case ToDaemon.OutputTaken m -> outputCredit.give(m.bytes());
      case ToDaemon.ShutDown _ -> end();
    }
  }

  private static boolean isIncarnation(RankProcess process, int incarnation) {
    RankConfig config = process.config();
    return config != null && config.incarnation() == incarnation;
  }

  private void onSetup(NodeSetup given) {
    onStarter(
        () -> {
          try {
            String problem = problemOf(given);
            if (problem == null) {
              RankCommand made = new RankCommand(given, installation, directory.socket(), cores);
              loop.execute(() -> ready(given, made));
            } else {
              send(new FromDaemon.Refused(problem));
            }
          } catch (IOException | InvalidPathException e) {
            send(new FromDaemon.Refused(e.toString()));
          }
        });
  }

  private void ready(NodeSetup given, RankCommand made) {
    setup = given;
    command = made;
    send(new FromDaemon.Ready());
    Thread.ofVirtual().name("fmi-prepare").start(Affinity::prepare);
  }

  private static @Nullable String problemOf(NodeSetup given) {
    for (String entry : given.classPath()) {
      if (!Files.isReadable(Path.of(entry))) {
        return entry
            + " is not there or cannot be read: all hosts need the program at the same path, as on"
            + " a shared file system";
      }
    }
    if (!Files.isDirectory(Path.of(given.workDirectory()))) {
      return "the directory "
          + given.workDirectory()
          + " is not there: start fmirun in one that all hosts have";
    }
    CharsetEncoder encoder = Charset.forName(System.getProperty("native.encoding")).newEncoder();
    List<String> texts = new ArrayList<>(given.args());
    texts.add(given.mainClass());
    texts.addAll(given.jvmOptions());
    texts.addAll(given.environment().values());
    for (String text : texts) {
      if (!encoder.canEncode(text)) {
        return "'"
            + text
            + "' cannot be told to a program in the character set of its locale, "
            + encoder.charset()
            + ": set one with UTF-8 there, such as LC_ALL=C.UTF-8";
      }
    }
    return null;
  }

  // ---- ranks

  private void onSpawn(ToDaemon.Spawn m) {
    NodeSetup common = setup;
    if (common == null) {
      throw new IllegalStateException("spawn before setup");
    }
    RankConfig config =
        new RankConfig(
            bootstrap.jobId(),
            bootstrap.secret(),
            m.rank(),
            common.size(),
            m.incarnation(),
            host,
            bootstrap.node(),
            directory.path().toString(),
            m.ranksOnNode(),
            m.ranksOnMachine(),
            cores,
            m.group(),
            common.logRingBase(),
            common.heartbeatMillis(),
            common.recordLimitBytes(),
            common.interval(),
            common.transports(),
            m.faults());
    var _ = loop.schedule(MISSING_SECONDS, TimeUnit.SECONDS, () -> missing(config));
    RankProcess standby = standbys.poll();
    if (standby != null) {
      // Not made up for now: a new one would take time from the recovery. fmirun asks again.
      standbysWanted--;
      ranks.put(m.rank(), standby);
      assign(standby, config, m.share());
      return;
    }
    Starting soon = new Starting(config);
    starting.put(m.rank(), soon);
    start(
        m.ranksOnMachine(),
        process -> {
          starting.remove(m.rank(), soon);
          ranks.put(m.rank(), process);
          assign(process, config, m.share());
          soon.messages.forEach(process::tell);
          soon.input.forEach(process::input);
          if (soon.killed) {
            kill(process);
          }
        },
        problem -> {
          starting.remove(m.rank(), soon);
          send(new FromDaemon.Refused("cannot start rank " + m.rank() + ": " + problem));
        });
  }

  /**
   * All wait for a rank whose process stands still before it connects, which no heartbeat shows. It
   * may be slow, or stopped on purpose: the user knows.
   */
  private void missing(RankConfig config) {
    Starting soon = starting.get(config.rank());
    RankProcess process = ranks.get(config.rank());
    String where;
    if (soon != null && soon.config.incarnation() == config.incarnation()) {
      where = "it cannot be started yet";
    } else if (process != null
        && isIncarnation(process, config.incarnation())
        && !process.hasConnected()) {
      where = "'kill -9 " + process.pid() + "' has another one started for it";
    } else {
      return;
    }
    send(
        new FromDaemon.Warning(
            "rank "
                + config.rank()
                + " has not come up for "
                + MISSING_SECONDS
                + " s (stopped, or waiting for a file server?): "
                + where));
  }

  /** Makes a process a rank; bound before it is told, so before it runs the program. */
  private void assign(RankProcess process, RankConfig config, CoreShare share) {
    if (share.bound() == Bound.PROCESS
        && !Affinity.bind(process.pid(), share.numbers())
        && !warnedOfBinding) {
      warnedOfBinding = true;
      send(
          new FromDaemon.Warning(
              "the system does not allow ranks to be bound to cores; they run without (--bind none"
                  + " does not try)"));
    }
    process.assign(config, share.bound() == Bound.THREAD ? share.numbers() : new int[0], this);
  }

  private void startStandbys() {
    while (standbys.size() + standbysStarting < standbysWanted
        && standbyFailures < STANDBY_FAILURES) {
      standbysStarting++;
      start(
          standbyShare,
          process -> {
            standbysStarting--;
            standbys.add(process);
          },
          problem -> {
            standbysStarting--;
            standbyFailed(problem);
          });
    }
  }

  private void standbyFailed(String problem) {
    if (ended.getCount() == 0) {
      return; // Killed, with everything else.
    }
    standbyFailures++;
    if (standbyFailures == STANDBY_FAILURES) {
      send(
          new FromDaemon.Warning(
              "processes held ready for a failure do not stay alive ("
                  + problem
                  + "): replacements will be started when they are needed, which takes longer"));
    }
  }

  /** Takes a process that was started, on the loop. */
  private interface Started {
    void accept(RankProcess process);
  }

  /** Takes the reason why one could not be started, on the loop. */
  private interface NotStarted {
    void accept(String problem);
  }

  private void start(int ranksOnMachine, Started started, NotStarted notStarted) {
    RankCommand known = command;
    if (known == null) {
      throw new IllegalStateException("start before setup");
    }
    onStarter(
        () -> {
          try {
            Process process = known.build(ranksOnMachine).start();
            loop.execute(() -> begun(process, started, notStarted));
          } catch (IOException | OutOfMemoryError e) {
            // The latter where there may be no more threads. This one must live: with it would die
            // what it has started.
            loop.execute(() -> notStarted.accept(String.valueOf(e.getMessage())));
          }
        });
  }

  private void begun(Process process, Started started, NotStarted notStarted) {
    RankProcess rankProcess;
    try {
      rankProcess = new RankProcess(process, outputCredit, this);
    } catch (OutOfMemoryError e) {
      process.destroyForcibly();
      notStarted.accept(String.valueOf(e.getMessage()));
      return;
    }
    processes.put(process.pid(), rankProcess);
    started.accept(rankProcess);
    RankHandler connected = early.remove(process.pid());
    if (connected != null) {
      connected.identified(rankProcess);
    }
    watch(rankProcess);
  }

  private void onStarter(Runnable task) {
    try {
      starter.execute(task);
    } catch (RejectedExecutionException e) {
      // The daemon is ending: nothing is to be started any more.
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
                send(new FromDaemon.Warning("cannot delete what a dead process has left: " + e));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (RejectedExecutionException e) {
                // The daemon is ending, and has killed it.
              }
            });
  }

  private void watchLifeline(RankProcess process) {
    Lifeline lifeline;
    try {
      lifeline = Lifeline.adopt(directory.path(), process.pid());
    } catch (IOException e) {
      send(new FromDaemon.Warning("the death of a rank will be seen late: " + e.getMessage()));
      return;
    }
    Thread.ofPlatform()
        .daemon()
        .name("fmi-lifeline-" + process.pid())
        .start(
            () -> {
              try {
                if (lifeline.died()) {
                  loop.execute(() -> onDying(process));
                }
              } catch (RejectedExecutionException e) {
                // The daemon is ending, and has killed it.
              }
            });
  }

  private void onDying(RankProcess process) {
    RankConfig config = process.config();
    if (config != null) {
      send(new FromDaemon.RankDying(config.rank(), config.incarnation()));
    } else {
      standbys.remove(process);
    }
  }

  private void onExit(RankProcess process, int status) {
    processes.remove(process.pid());
    RankConfig config = process.config();
    if (config == null) {
      standbys.remove(process);
      standbyFailed("status " + status);
      startStandbys();
      return;
    }
    ranks.remove(config.rank(), process);
    process.input(InputPump.END);
    // The status of a process that a signal has ended is 128 + signal; there are 64 of them.
    boolean signaled = status > 128 && status <= 128 + 64;
    send(
        process.wasOverdue()
            ? new FromDaemon.RankExited(config.rank(), config.incarnation(), 1, false)
            : new FromDaemon.RankExited(config.rank(), config.incarnation(), status, signaled));
  }

  private void onKill(int rank, int incarnation) {
    Starting soon = starting.get(rank);
    RankProcess process = ranks.get(rank);
    if (soon != null && soon.config.incarnation() == incarnation) {
      soon.killed = true;
    } else if (process != null && isIncarnation(process, incarnation)) {
      kill(process);
    }
  }

  /** A call of the system may not come to an end; then there is no node without its process. */
  private void kill(RankProcess process) {
    process.kill();
    var _ =
        loop.schedule(
            DEATH_SECONDS,
            TimeUnit.SECONDS,
            () -> {
              RankConfig config = process.config();
              if (config != null && processes.get(process.pid()) == process) {
                send(
                    new FromDaemon.Refused(
                        "rank "
                            + config.rank()
                            + " does not die (process "
                            + process.pid()
                            + " was killed "
                            + DEATH_SECONDS
                            + " s ago): does a file server or a device not answer?"));
              }
            });
  }

  /** The connection of one process; its first message says which. */
  private final class RankHandler implements ConnectionHandler {
    private @Nullable Connection connection;
    private @Nullable RankProcess process;
    private boolean exiting;

    @Override
    public void onOpen(Connection opened) {
      connection = opened;
    }

    @Override
    public void onFrame(Connection connection, ByteBuffer frame) {
      try {
        switch (RankCodec.decodeFromRank(frame)) {
          case FromRank.Hello m -> hello(connection, m.pid());
          case FromRank.Exiting _ -> exiting = true;
          case FromRank.LifelineHeld _ -> {
            RankProcess known = process;
            if (known != null) {
              watchLifeline(known);
            }
          }
          case FromRank.Said m -> {
            RankProcess known = process;
            RankConfig config = known == null ? null : known.config();
            if (config == null) {
              connection.close();
            } else {
              if (known != null && m.message() instanceof RankMessage.Joined) {
                known.joined();
              }
              send(new FromDaemon.Said(config.rank(), config.incarnation(), m.message()));
            }
          }
        }
      } catch (BadMessageException e) {
        send(new FromDaemon.Warning("a process sent nonsense: " + e.getMessage()));
        connection.close();
      }
    }

    private void hello(Connection from, long pid) {
      RankProcess known = processes.get(pid);
      if (process != null) {
        from.close();
      } else if (known != null) {
        identified(known);
      } else {
        early.put(pid, this);
      }
    }

    void identified(RankProcess known) {
      Connection open = connection;
      if (open != null) {
        process = known;
        known.connected(open, directory.warmUp(known.pid()));
      }
    }

    @Override
    public void onClosed(Connection connection, Closed closed) {
      this.connection = null;
      RankProcess known = process;
      if (known == null) {
        early.values().remove(this);
        return;
      }
      known.disconnected();
      RankConfig config = known.config();
      if (closed.why() == Closed.Why.SILENT && config != null) {
        send(new FromDaemon.RankSilent(config.rank(), config.incarnation()));
      } else if (!exiting) {
        var _ =
            loop.schedule(
                EXIT_GRACE_MILLIS,
                TimeUnit.MILLISECONDS,
                () -> {
                  if (processes.get(known.pid()) == known) {
                    kill(known);
                  }
                });
      } else if (config != null && known.isAwaited()) {
        var _ = loop.schedule(END_SECONDS, TimeUnit.SECONDS, () -> endOverdue(known, config));
      }
    }

    private void endOverdue(RankProcess known, RankConfig config) {
      if (processes.get(known.pid()) == known) {
        send(
            new FromDaemon.Warning(
                "rank "
                    + config.rank()
                    + " began to end "
                    + END_SECONDS
                    + " s ago, and others wait for it: a shutdown hook of the program does not come"
                    + " to its end, or calls Fmi.close; it is killed"));
        known.killOverdue();
      }
    }
  }
}
