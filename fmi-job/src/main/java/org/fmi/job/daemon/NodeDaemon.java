package org.fmi.job.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.fmi.control.JobMessage;
import org.fmi.control.RankMessage;
import org.fmi.job.control.CoreShare.Bound;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.NodeSetup;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.job.daemon.Deadlines.Deadline;
import org.fmi.job.daemon.Deadlines.Limit;
import org.fmi.rules.TimeWithCore;
import org.fmi.spi.RankConfig;
import org.jspecify.annotations.Nullable;

/**
 * The decisions of a node's daemon: takes events and the time, returns commands. Deterministic;
 * called by one thread.
 *
 * <pre>
 *                Setup                Prepared            Spawn, KillRank, Forward, Standbys ...
 *  CONNECTED ------------&gt; PREPARING -----------&gt; READY &lt;--------+
 *      |                    |     |                | |            |
 *      |                    |   Unfit: Refused     | +------------+
 *      |                    |                      |
 *      +---ShutDown, fmirun is gone, lease over ---+-----&gt; ENDED: the daemon and all its processes
 * </pre>
 *
 * The life of one process:
 *
 * <pre>
 *  not started:  after {@link Limit#SECOND_START} and {@link Limit#THIRD_START} another Start, then RankNotStarted
 *
 *  for a rank:  Spawn --&gt; Start ... Started --&gt; Bind, Attach ... Connected --&gt; Forward(Assign), Forward ...
 *  stands by:   Standbys ... Start ... Started ... Connected --&gt; Forward(WarmUp), Forward(HoldLifeline)
 *               ... Spawn --&gt; Bind, Attach, Forward(Assign) ...
 *
 *  killed:               KillRank --&gt; Kill ... Exited --&gt; RankExited
 *    does not die in     {@link Limit#DEATH}: Refused, which ends the node
 *  silent:               Disconnected(silent) --&gt; RankSilent; fmirun decides
 *  disconnected:         Disconnected, and has not ended after {@link Limit#LEAVE}: Kill
 *  announced its exit:   Disconnected, and other ranks still wait for its end after {@link Limit#END}: Kill
 *  does not connect in   {@link Limit#COME_UP}: a warning
 *  does not join in      {@link Limit#JOIN}: RankLate, again and again; fmirun decides
 *  killed, and the system does not start it: RankNotStarted, and a Kill once it runs
 * </pre>
 *
 * A rank has one process at a time: another one that fmirun spawns before the last has ended, which
 * it had killed, waits for that ({@link HeldMessages}). The end of each spawned process is reported
 * exactly once; otherwise the node is refused.
 */
public final class NodeDaemon {
  /** An upper bound of signal numbers. */
  private static final int SIGNALS = 64;

  private static final int BY_SIGNAL = 128;

  private static final long NANOS_PER_MILLI = 1_000_000;

  /** A process that took this much longer to join than all before is reported. */
  private static final double NOTABLE = 1.25;

  /** In JVM options: the process may wait for a debugger. */
  private static final String DEBUGGER = "jdwp";

  private enum Phase {
    CONNECTED,
    PREPARING,
    READY,
    ENDED;

    boolean mayBecome(Phase next) {
      return switch (this) {
        case CONNECTED -> next == PREPARING || next == ENDED;
        case PREPARING -> next == READY || next == ENDED;
        case READY -> next == ENDED;
        case ENDED -> false;
      };
    }
  }

  private final NodeFacts facts;
  private final List<DaemonCommand> out = new ArrayList<>();
  private final Deadlines deadlines = new Deadlines();
  private final Lease lease;
  private final Standbys standbys = new Standbys();
  private final Flushes flushes;
  private final HeldMessages held = new HeldMessages();
  private final LocalRanks localRanks = new LocalRanks();
  private final IdleCores idleCores = new IdleCores(out::add);

  /** Processes of which events may still arrive, by number. */
  private final TreeMap<Integer, NodeProcess> processes = new TreeMap<>();

  /** The process that serves a rank, or is starting for it, by rank. */
  private final TreeMap<Integer, NodeProcess> ranks = new TreeMap<>();

  private final ShownReports shown = new ShownReports(ranks.values(), this::report);

  private Phase phase = Phase.CONNECTED;
  private @Nullable NodeSetup setup;
  private long now;

  /** The time at which the ranks were stopped. */
  private long stoppedAt;

  private boolean begun;
  private int started;
  private boolean warnedOfBinding;

  /** The longest time that a process took to join, as far as fmirun knows. */
  private long longestStart;

  /** Creates a daemon that has just connected to fmirun. */
  public NodeDaemon(NodeFacts facts) {
    this.facts = facts;
    this.lease = new Lease(facts.leaseNanos(), facts.graceNanos());
    this.flushes = new Flushes(facts, out::add);
  }

  /** Whether ranks have processes here, or will. */
  public boolean hasRanks() {
    return !ranks.isEmpty();
  }

  /** Whether it has ended, so that no event has any effect. */
  public boolean hasEnded() {
    return phase == Phase.ENDED;
  }

  /**
   * Returns when {@link DaemonEvent.Tick} is due at the latest, on the clock of the events; may
   * change.
   */
  public OptionalLong nextTick() {
    if (phase == Phase.ENDED) {
      return OptionalLong.empty();
    }
    OptionalLong limits = lease.isExpired() ? OptionalLong.empty() : deadlines.first();
    OptionalLong work = first(first(limits, standbys.due()), flushes.due());
    return begun ? first(work, OptionalLong.of(lease.due())) : work;
  }

  private static OptionalLong first(OptionalLong a, OptionalLong b) {
    if (a.isEmpty() || b.isEmpty()) {
      return a.isEmpty() ? b : a;
    }
    // The clock may wrap around.
    return b.getAsLong() - a.getAsLong() < 0 ? b : a;
  }

  /**
   * Returns the commands that follow from an event.
   *
   * @param nanos the time, from a monotonic clock
   * @throws IllegalStateException if fmirun breaks the protocol
   */
  public List<DaemonCommand> on(long nanos, DaemonEvent event) {
    if (phase == Phase.ENDED) {
      return List.of();
    }
    assert !begun || nanos - now >= 0 : "the clock runs backwards";
    now = nanos;
    if (!begun) {
      standbys.begin(now);
      lease.begin(now);
    }
    begun = true;
    lease.look(now);
    switch (event) {
      case DaemonEvent.FromFmirun e -> onMessage(e.message());
      case DaemonEvent.FmirunGone _ -> end();
      case DaemonEvent.Prepared _ -> {
        become(Phase.READY);
        report(new FromDaemon.Ready());
      }
      case DaemonEvent.Unfit e -> report(new FromDaemon.Refused(e.reason()));
      case DaemonEvent.Started e -> onStarted(process(e.process()), e.pid());
      case DaemonEvent.NotStarted e -> onNotStarted(process(e.process()), e.reason());
      case DaemonEvent.NotBound e -> onNotBound(e.warning());
      case DaemonEvent.Connected e -> onConnected(process(e.process()), e.warmUp());
      case DaemonEvent.FromProcess e -> onRelayed(process(e.process()), e.message());
      case DaemonEvent.Disconnected e -> onDisconnected(process(e.process()), e.silent());
      case DaemonEvent.Dying e -> onDying(processes.get(e.process()));
      case DaemonEvent.Killed e -> onKilled(processes.get(e.process()), e.residentBytes());
      case DaemonEvent.WasDying e -> onWasDying(processes.get(e.process()));
      case DaemonEvent.Exited e -> {
        NodeProcess process = process(e.process());
        if (process.isConnected() && process.config() != null) {
          // Its last messages may be in transit, for example the reason of its end.
          process.exited(e.status());
        } else {
          onExited(process, e.status());
        }
      }
      case DaemonEvent.Seen e -> onSeen(processes.get(e.process()), e.look());
      case DaemonEvent.HelperMoved _ -> flushes.moved();
      case DaemonEvent.HelperSeen e -> flushes.seen(now, e.look(), e.machine());
      case DaemonEvent.HelperEnded e -> flushes.ended(e.result());
      case DaemonEvent.Tick _ -> {
        // see below
      }
    }
    if (phase != Phase.ENDED) {
      onTime();
    }
    assert isConsistent();
    List<DaemonCommand> commands = List.copyOf(out);
    out.clear();
    return commands;
  }

  private void become(Phase next) {
    assert phase.mayBecome(next) : phase + " cannot become " + next;
    phase = next;
  }

  private void end() {
    become(Phase.ENDED);
    deadlines.clear();
    standbys.end();
    flushes.end();
    out.add(new DaemonCommand.End());
  }

  private void report(FromDaemon message) {
    out.add(new DaemonCommand.Report(message));
  }

  private void warn(String text) {
    report(new FromDaemon.Warning(text));
  }

  private NodeProcess process(int number) {
    NodeProcess process = processes.get(number);
    if (process == null) {
      throw new IllegalStateException("no event can arrive of process " + number);
    }
    return process;
  }

  private boolean isConsistent() {
    standbys.forEach(
        process -> {
          assert process.state() == NodeProcess.State.STANDBY && process.config() == null : process;
          assert processes.get(process.number) == process : process;
        });
    ranks.forEach(
        (rank, process) -> {
          RankConfig config = process.config();
          assert config != null && config.rank() == rank : process;
          assert process.state() != NodeProcess.State.ENDED : process;
          assert processes.get(process.number) == process : process;
        });
    return true;
  }

  // ---- fmirun

  private void onMessage(ToDaemon message) {
    if (held.take(message, ranks)) {
      return;
    }
    switch (message) {
      case ToDaemon.Setup m -> {
        become(Phase.PREPARING);
        setup = m.setup();
        idleCores.limit(m.setup().idleMegahertz());
        out.add(new DaemonCommand.Prepare(m.setup()));
      }
      case ToDaemon.Spawn m -> onSpawn(m);
      case ToDaemon.KillRank m -> {
        NodeProcess process = serving(m.rank(), m.incarnation());
        if (process != null) {
          kill(process);
        }
      }
      case ToDaemon.Forget m -> out.add(new DaemonCommand.Forget(m.rank()));
      case ToDaemon.Forward m -> {
        NodeProcess process = serving(m.rank(), m.incarnation());
        if (process != null) {
          forward(process, m.message());
        }
      }
      case ToDaemon.ForwardAll m ->
          ranks.values().forEach(process -> forward(process, m.message()));
      case ToDaemon.Standbys m -> {
        standbys.want(now, m.count(), m.ranksOnNode());
        for (NodeProcess process : ranks.values()) {
          if (process.lives()) {
            send(process, new ToRank.HoldLifeline());
          }
        }
      }
      case ToDaemon.Input m -> onInput(m);
      case ToDaemon.OutputTaken _, ToDaemon.Examine _, ToDaemon.Serve _, ToDaemon.Keep _ -> {
        // for the shell alone
      }
      case ToDaemon.Terminate _ -> {
        for (NodeProcess process : ranks.values()) {
          if (process.lives()) {
            out.add(new DaemonCommand.Terminate(process.number));
          }
        }
      }
      case ToDaemon.Stack m -> {
        NodeProcess process = ranks.get(m.rank());
        if (process != null && process.isConnected()) {
          send(process, new ToRank.Stack());
        }
      }
      case ToDaemon.Level2 m -> flushes.ordered(now, m.order(), setup);
      case ToDaemon.LeaseGranted m -> onGranted(m.request());
      case ToDaemon.ShutDown _ -> end();
    }
  }

  private @Nullable NodeProcess serving(int rank, int incarnation) {
    NodeProcess process = ranks.get(rank);
    return process != null && process.is(incarnation) ? process : null;
  }

  private void onSpawn(ToDaemon.Spawn m) {
    NodeSetup common = setup;
    if (phase != Phase.READY || common == null) {
      throw new IllegalStateException("spawn before setup");
    }
    int rank = m.assignment().rank();
    NodeProcess last = ranks.get(rank);
    if (last != null) {
      throw new IllegalStateException("spawn of rank " + rank + ", which has " + last);
    }
    RankConfig config = facts.config(m.assignment(), common);
    int local = localRanks.choose(rank, ranks.keySet());
    NodeProcess process = m.jvmOptions().isEmpty() ? standbys.take() : null;
    if (process == null) {
      process = start(common, m.assignment().ranksOnNode(), m.jvmOptions());
      process.designate(config, m.share().of(Bound.PROCESS));
      process.keep(new ToRank.Assign(config, m.share().of(Bound.THREAD), local));
    } else {
      process.designate(config, m.share().of(Bound.PROCESS));
      attach(process, config);
      stopWithoutLease(process);
      send(process, new ToRank.Assign(config, m.share().of(Bound.THREAD), local));
      watch(process, config);
    }
    ranks.put(rank, process);
    if (!mayWaitForDebugger(m, common)) {
      TimeWithCore time = new TimeWithCore(timeToJoin(), now);
      process.joins(now, time);
      deadlines.set(now, process, Limit.JOIN, time.pause());
    }
    idleCores.spawned(rank, m.share().numbers());
    deadlines.set(now, process, Limit.COME_UP);
  }

  private static boolean mayWaitForDebugger(ToDaemon.Spawn m, NodeSetup common) {
    return !m.jvmOptions().isEmpty()
        || common.jvmOptions().stream().anyMatch(option -> option.contains(DEBUGGER))
        || common.environment().values().stream().anyMatch(value -> value.contains(DEBUGGER));
  }

  /** The time within which no process is late. */
  private long timeToJoin() {
    return Math.max(Limit.JOIN.time.toNanos(), allowance());
  }

  /** Another rank may have to be found silent before this one can start. */
  private long allowance() {
    NodeSetup known = setup;
    return known == null ? 0 : 2L * known.job().heartbeatMillis() * NANOS_PER_MILLI;
  }

  private void onInput(ToDaemon.Input m) {
    NodeProcess process = serving(0, m.incarnation());
    if (process == null) {
      return;
    }
    if (process.lives()) {
      out.add(new DaemonCommand.Input(process.number, m.bytes()));
    } else if (process.state() == NodeProcess.State.STARTING) {
      process.keepInput(m);
    }
  }

  private void forward(NodeProcess process, JobMessage message) {
    process.sent(message);
    RankConfig config = process.config();
    if (config != null) {
      idleCores.works(config.rank()); // before it receives the message that gives it work
    }
    send(process, new ToRank.Forward(message));
  }

  /** Sends a message, unless the connection is closed. */
  private void send(NodeProcess process, ToRank message) {
    if (process.isConnected()) {
      out.add(new DaemonCommand.Forward(process.number, message));
    } else if (!process.hasConnected()) {
      process.keep(message);
    }
  }

  // ---- processes

  private NodeProcess start(NodeSetup common, int ranksOnNode, List<String> jvmOptions) {
    DaemonCommand.Start start =
        new DaemonCommand.Start(started++, common.ranksOnMachine(ranksOnNode), jvmOptions);
    NodeProcess process = new NodeProcess(start);
    processes.put(process.number, process);
    out.add(start);
    return process;
  }

  private void onStarted(NodeProcess process, long pid) {
    process.started(pid);
    if (process.isAbandoned()) {
      out.add(new DaemonCommand.Kill(process.number));
      return;
    }
    RankConfig config = process.config();
    if (config == null) {
      standbys.started(process);
      return;
    }
    attach(process, config);
    for (byte[] bytes : process.takeInput()) {
      out.add(new DaemonCommand.Input(process.number, bytes));
    }
    if (process.isKilled()) {
      makeDie(process);
    } else {
      stopWithoutLease(process);
    }
  }

  /** Makes it a rank. Binds it before it learns its rank, and so before it runs the program. */
  private void attach(NodeProcess process, RankConfig config) {
    process.attached();
    if (process.cores().length > 0) {
      out.add(new DaemonCommand.Bind(process.number, process.cores()));
    }
    out.add(new DaemonCommand.Attach(process.number, config.rank(), config.incarnation()));
  }

  private void watch(NodeProcess process, RankConfig config) {
    if (process.isConnected()) {
      out.add(new DaemonCommand.Watch(process.number, config.job().heartbeatMillis()));
    }
  }

  private void onNotBound(String warning) {
    if (!warnedOfBinding) {
      warnedOfBinding = true;
      warn(warning);
    }
  }

  /** Handles a lack of processes or memory, which may be over in a moment. */
  private void onNotStarted(NodeProcess process, String reason) {
    if (process.isAbandoned()) {
      process.ended();
      processes.remove(process.number);
      return;
    }
    RankConfig config = process.config();
    if (config == null) {
      process.ended();
      processes.remove(process.number);
      standbys.notStarted();
      standbyFailed(reason);
      return;
    }
    switch (process.notStarted()) {
      case 1 -> deadlines.set(now, process, Limit.SECOND_START);
      case 2 -> deadlines.set(now, process, Limit.THIRD_START);
      default -> neverStarted(process, config, reason);
    }
  }

  private void neverStarted(NodeProcess process, RankConfig config, String reason) {
    process.ended();
    processes.remove(process.number);
    ranks.remove(config.rank());
    idleCores.gone(config.rank());
    report(new FromDaemon.RankNotStarted(config.rank(), config.incarnation(), reason));
    held.release(config.rank()).forEach(this::onMessage);
  }

  private void onConnected(NodeProcess process, String warmUp) {
    process.connected();
    if (process.isAbandoned()) {
      return;
    }
    RankConfig config = process.config();
    if (config == null) {
      send(process, new ToRank.WarmUp(warmUp));
      send(process, new ToRank.HoldLifeline());
    } else {
      watch(process, config);
    }
    for (ToRank message : process.takeMessages()) {
      send(process, message);
    }
  }

  private void onRelayed(NodeProcess process, FromRank message) {
    RankConfig config = process.config();
    switch (message) {
      case FromRank.Hello _ -> out.add(new DaemonCommand.Disconnect(process.number));
      case FromRank.Exiting _ -> process.exiting();
      case FromRank.LifelineHeld _ -> {
        if (process.lives()) {
          out.add(new DaemonCommand.AdoptLifeline(process.number));
        }
      }
      case FromRank.Offered m -> flushes.offered(config, m.pinned(), ranks.keySet());
      case FromRank.OfRank m -> {
        if (config == null) {
          out.add(new DaemonCommand.Disconnect(process.number));
        } else {
          onRelayed(process, config, m);
        }
      }
    }
  }

  private void onRelayed(NodeProcess process, RankConfig config, FromRank.OfRank message) {
    switch (message) {
      case FromRank.Shown m -> shown.shown(process, m.report());
      case FromRank.Idle m -> {
        if (m.waits()) {
          idleCores.waits(config.rank());
        } else {
          idleCores.works(config.rank());
        }
      }
      case FromRank.Stack m -> report(new FromDaemon.Stack(config.rank(), process.pid(), m.text()));
      case FromRank.ReadsInput _ -> report(new FromDaemon.InputWanted(config.incarnation()));
      case FromRank.Relayed m -> {
        if (m.message() instanceof RankMessage.Joined joined) {
          onJoined(process, config);
          if (joined.epoch() > 0) {
            idleCores.waits(config.rank());
          }
        } else if (m.message() instanceof RankMessage.Failed) {
          deadlines.set(now, process, Limit.UNWIND);
        }
        report(new FromDaemon.Relayed(config.rank(), config.incarnation(), m.message()));
      }
    }
  }

  private void onJoined(NodeProcess process, RankConfig config) {
    TimeWithCore time = process.joining();
    if (time != null) {
      long took = process.timeToJoin(now, time);
      if (took > NOTABLE * longestStart) {
        longestStart = took;
        report(
            new FromDaemon.RankStarted(
                config.rank(), config.incarnation(), took / NANOS_PER_MILLI));
      }
    }
    process.joined();
  }

  private void onSeen(@Nullable NodeProcess process, TimeWithCore.Look look) {
    TimeWithCore time = process == null ? null : process.joining();
    RankConfig config = process == null ? null : process.config();
    if (process == null || time == null || config == null) {
      return; // it has joined or ended in the meantime
    }
    time.add(now, look);
    if (time.isOver() && !process.isKilled()) {
      process.late();
      long millis = (time.counted() - allowance()) / NANOS_PER_MILLI;
      report(new FromDaemon.RankLate(config.rank(), config.incarnation(), millis));
    }
  }

  private void onDisconnected(NodeProcess process, boolean silent) {
    process.disconnected();
    OptionalInt status = process.exitStatus();
    if (status.isPresent()) {
      onExited(process, status.getAsInt());
      return;
    }
    if (process.isForgotten()) {
      processes.remove(process.number);
      return;
    }
    // It could no longer learn its rank.
    standbys.remove(process);
    RankConfig config = process.config();
    if (silent && config != null) {
      report(new FromDaemon.RankSilent(config.rank(), config.incarnation()));
    } else if (!process.isExiting()) {
      deadlines.set(now, process, Limit.LEAVE);
    } else if (config != null && process.isAwaited()) {
      deadlines.set(now, process, Limit.END);
    }
  }

  /** Handles the death of a process, which may have ended and been forgotten. */
  private void onDying(@Nullable NodeProcess process) {
    if (process == null || !process.lives()) {
      return;
    }
    RankConfig config = process.config();
    if (config != null) {
      report(new FromDaemon.RankDying(config.rank(), config.incarnation()));
    } else {
      standbys.remove(process);
    }
  }

  private static void onKilled(@Nullable NodeProcess process, long residentBytes) {
    if (process != null) {
      process.releases(residentBytes);
    }
  }

  private void onWasDying(@Nullable NodeProcess process) {
    RankConfig config = process != null && process.lives() ? process.config() : null;
    if (config != null) {
      report(new FromDaemon.RankWasDying(config.rank(), config.incarnation()));
    }
  }

  private void onExited(NodeProcess process, int status) {
    process.ended();
    if (process.isForgotten()) {
      processes.remove(process.number);
    }
    if (process.isAbandoned()) {
      return;
    }
    RankConfig config = process.config();
    if (config == null) {
      standbys.remove(process);
      standbyFailed("status " + status);
      startStandbys();
      return;
    }
    ranks.remove(config.rank());
    idleCores.gone(config.rank());
    flushes.left(config.rank(), setup);
    boolean signaled = status > BY_SIGNAL && status <= BY_SIGNAL + SIGNALS;
    report(
        process.isOverdue()
            ? new FromDaemon.RankExited(config.rank(), config.incarnation(), 1, false)
            : new FromDaemon.RankExited(config.rank(), config.incarnation(), status, signaled));
    held.release(config.rank()).forEach(this::onMessage);
  }

  private void kill(NodeProcess process) {
    boolean isNew = process.killed();
    if (process.lives()) {
      if (isNew) {
        makeDie(process);
      } else {
        out.add(new DaemonCommand.Kill(process.number));
      }
    } else if (process.isLate() && process.state() == NodeProcess.State.STARTING) {
      abandon(process);
    }
  }

  /** Gives up a process that the system does not start: a file server may hang. */
  private void abandon(NodeProcess process) {
    RankConfig config = process.config();
    if (config != null) {
      process.abandon();
      ranks.remove(config.rank());
      idleCores.gone(config.rank());
      report(
          new FromDaemon.RankNotStarted(
              config.rank(), config.incarnation(), "the system does not complete its start"));
      held.release(config.rank()).forEach(this::onMessage);
    }
  }

  private void makeDie(NodeProcess process) {
    out.add(new DaemonCommand.Kill(process.number));
    deadlines.set(now, process, Limit.DEATH);
  }

  // ---- standbys

  private void startStandbys() {
    while (setup != null && standbys.startsAnother()) {
      start(setup, standbys.ranksOnNode(), List.of());
    }
  }

  private void standbyFailed(String reason) {
    if (standbys.failed()) {
      warn(
          "standby processes do not stay alive ("
              + reason
              + "): replacements will be started on demand, which takes longer");
    }
  }

  // ---- time

  private void onTime() {
    if (lease.isRequestDue(now)) {
      report(new FromDaemon.LeaseRequest(lease.request(now)));
    }
    if (lease.expires(now)) {
      stop();
    }
    if (lease.isOver(now)) {
      end();
      return;
    }
    flushes.onTime(now);
    if (standbys.isDue(now)) {
      startStandbys();
    }
    if (lease.isExpired()) {
      return; // a stopped process cannot keep a time limit
    }
    Deadline due;
    while ((due = deadlines.takeDue(now)) != null) {
      NodeProcess process = due.process();
      if (process.state() != NodeProcess.State.ENDED && !process.isAbandoned()) {
        onExceeded(due);
      }
    }
  }

  /** Stops all ranks: fmirun may have replaced them by now. */
  private void stop() {
    stoppedAt = now;
    for (NodeProcess process : ranks.values()) {
      if (process.lives()) {
        stopWithoutLease(process);
      }
    }
  }

  private void stopWithoutLease(NodeProcess process) {
    if (lease.isExpired()) {
      out.add(new DaemonCommand.Stop(process.number));
    }
  }

  /** Continues the ranks that still are to run; others were killed before the grant. */
  private void onGranted(int request) {
    if (lease.granted(request, now)) {
      deadlines.shift(now - stoppedAt);
      for (NodeProcess process : ranks.values()) {
        if (process.lives()) {
          out.add(new DaemonCommand.Continue(process.number));
        }
      }
    }
  }

  private void onExceeded(Deadline due) {
    NodeProcess process = due.process();
    switch (due.limit()) {
      case SECOND_START, THIRD_START -> {
        RankConfig config = process.config();
        if (config != null && process.isKilled()) {
          neverStarted(process, config, "it was not needed any more");
        } else {
          out.add(process.start);
        }
      }
      case JOIN -> {
        TimeWithCore time = process.joining();
        if (time != null) {
          deadlines.set(now, process, Limit.JOIN, time.pause());
          if (process.lives()) {
            out.add(new DaemonCommand.Look(process.number));
          } else {
            onSeen(process, TimeWithCore.Look.UNSEEN);
          }
        }
      }
      case COME_UP -> {
        // No heartbeat covers this, and all ranks wait. It may be slow, or stopped on purpose: the
        // user knows.
        if (!process.hasConnected()) {
          warn(due.complaint());
        }
      }
      case LEAVE -> kill(process);
      case END, UNWIND -> {
        warn(due.complaint());
        process.overdue();
        kill(process);
      }
      case DEATH -> {
        OptionalLong more = process.takeTimeToDie();
        if (more.isPresent()) {
          deadlines.extend(now, due, more.getAsLong());
        } else if (process.config() != null) {
          // A system call may never return; then the node is lost. A standby blocks no rank.
          report(new FromDaemon.Refused(due.complaint()));
        }
      }
    }
  }
}
