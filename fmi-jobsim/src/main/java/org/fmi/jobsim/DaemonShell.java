package org.fmi.jobsim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.fmi.control.RankMessage;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.FromRank;
import org.fmi.job.control.ToDaemon;
import org.fmi.job.control.ToRank;
import org.fmi.job.daemon.DaemonCommand;
import org.fmi.job.daemon.DaemonEvent;
import org.fmi.job.daemon.NodeDaemon;
import org.fmi.job.daemon.NodeFacts;
import org.fmi.rules.TimeWithCore;
import org.fmi.testkit.SimDaemon;
import org.fmi.testkit.SimHost;
import org.fmi.testkit.SimProcess;
import org.fmi.testkit.SimProgram;
import org.jspecify.annotations.Nullable;

/** Runs the real decisions of a node's daemon on a simulated node. */
final class DaemonShell implements SimDaemon {
  private static final int CORES = 2;
  private static final int KILLED = 128 + 9;

  private final SimHost host;
  private final SimProgram program;
  private final Runnable hello;
  private final Report reports;
  private final NodeDaemon daemon;

  /** By the daemon's number. */
  private final Map<Integer, Started> processes = new TreeMap<>();

  private final Map<SimProcess, Started> byProcess = new HashMap<>();

  /** Time of the next tick; none if it is not positive. */
  private long tickAt = Long.MAX_VALUE;

  /** Passes a daemon's message to fmirun. */
  interface Report {
    void on(SimHost host, FromDaemon message);
  }

  /** A process that was asked for. */
  private static final class Started {
    final int number;
    @Nullable SimProcess process;
    boolean connected;
    boolean killed;

    Started(int number) {
      this.number = number;
    }
  }

  /**
   * The shell of a daemon.
   *
   * @param program what ranks run
   * @param hello what fmirun does when the daemon is connected
   */
  DaemonShell(SimHost host, SimProgram program, Runnable hello, Report reports) {
    this.host = host;
    this.program = program;
    this.hello = hello;
    this.reports = reports;
    this.daemon =
        new NodeDaemon(
            new NodeFacts(
                "simulated",
                new byte[32],
                host.node(),
                "node" + host.node(),
                "/sim",
                "/sim",
                CORES,
                host.leaseNanos(),
                host.graceNanos()));
  }

  void onOrder(ToDaemon message) {
    if (message instanceof ToDaemon.Examine order) {
      host.after(host.delay(), "dials", host.node(), () -> examine(order));
    } else {
      feed(new DaemonEvent.FromFmirun(message));
    }
  }

  /** Does what the real daemon's Examiner does. */
  private void examine(ToDaemon.Examine order) {
    List<Integer> peers = order.peers().stream().map(ToDaemon.Peer::node).toList();
    if (unreached(peers).isEmpty()) {
      report(new FromDaemon.Examined(order.round(), List.of()));
      return;
    }
    // What is resent meanwhile gets through if the cut has ended.
    long within = order.withinMillis() * 1_000_000L;
    host.after(
        within,
        "dials in vain",
        host.node(),
        () -> report(new FromDaemon.Examined(order.round(), unreached(peers))));
  }

  private List<Integer> unreached(List<Integer> peers) {
    return peers.stream().filter(peer -> !host.reaches(peer)).toList();
  }

  private void report(FromDaemon message) {
    host.report("report", host.node(), () -> reports.on(host, message));
  }

  @Override
  public void onConnected() {
    host.report("hello", host.node(), hello);
  }

  @Override
  public void onFmirunGone() {
    feed(new DaemonEvent.FmirunGone());
  }

  @Override
  public void onMessage(SimProcess process, RankMessage message) {
    Started started = byProcess.get(process);
    if (started != null && started.connected) {
      feed(new DaemonEvent.FromProcess(started.number, new FromRank.Relayed(message)));
    }
  }

  @Override
  public void onExiting(SimProcess process) {
    Started started = byProcess.get(process);
    if (started != null && started.connected) {
      feed(new DaemonEvent.FromProcess(started.number, new FromRank.Exiting()));
    }
  }

  @Override
  public void onDisconnected(SimProcess process) {
    disconnect(process, false);
  }

  @Override
  public void onSilent(SimProcess process) {
    disconnect(process, true);
  }

  private void disconnect(SimProcess process, boolean silent) {
    Started started = byProcess.get(process);
    if (started != null && started.connected) {
      started.connected = false;
      feed(new DaemonEvent.Disconnected(started.number, silent));
    }
  }

  @Override
  public void onDying(SimProcess process) {
    Started started = byProcess.get(process);
    if (started != null) {
      feed(new DaemonEvent.Dying(started.number));
    }
  }

  @Override
  public void onExited(SimProcess process, int status, boolean signaled) {
    Started started = byProcess.get(process);
    if (started != null) {
      feed(new DaemonEvent.Exited(started.number, status));
    }
  }

  private void feed(DaemonEvent event) {
    if (daemon.hasEnded()) {
      return;
    }
    List<DaemonCommand> commands = daemon.on(host.nanoTime(), event);
    commands.forEach(this::carryOut);
    setTick();
  }

  private void setTick() {
    OptionalLong next = daemon.nextTick();
    if (next.isPresent() && next.getAsLong() < tickAt && !daemon.hasEnded()) {
      tickAt = next.getAsLong();
      long at = tickAt;
      long delay = Math.max(0, tickAt - host.nanoTime());
      host.after(
          delay,
          "tick",
          host.node(),
          () -> {
            if (tickAt == at) {
              tickAt = Long.MAX_VALUE;
            }
            feed(new DaemonEvent.Tick());
          });
    }
  }

  private void carryOut(DaemonCommand command) {
    switch (command) {
      case DaemonCommand.Prepare _ ->
          host.after(host.delay(), "prepared", host.node(), () -> feed(new DaemonEvent.Prepared()));
      case DaemonCommand.Start c -> start(c.process());
      case DaemonCommand.Forward c -> tell(started(c.process()), c.message());
      case DaemonCommand.Kill c -> kill(started(c.process()));
      case DaemonCommand.Stop c -> {
        SimProcess process = started(c.process()).process;
        if (process != null) {
          host.stop(process);
        }
      }
      case DaemonCommand.Continue c -> {
        SimProcess process = started(c.process()).process;
        if (process != null) {
          host.resume(process);
        }
      }
      case DaemonCommand.Look c ->
          host.after(
              0,
              "seen",
              c.process(),
              () -> feed(new DaemonEvent.Seen(c.process(), TimeWithCore.Look.UNSEEN)));
      case DaemonCommand.Report c -> report(c.message());
      case DaemonCommand.Forget c -> host.forget(c.rank());
      case DaemonCommand.End _ -> host.end();
      // Processes of a simulation are not bound, have no output and no shutdown hooks, and hold no
      // lifeline: their deaths are seen anyway, and so is their silence.
      case DaemonCommand.Bind _,
          DaemonCommand.Attach _,
          DaemonCommand.Watch _,
          DaemonCommand.Input _,
          DaemonCommand.AdoptLifeline _,
          DaemonCommand.Terminate _,
          DaemonCommand.SlowDown _,
          // Nor are their checkpoints written to files.
          DaemonCommand.RunHelper _,
          DaemonCommand.LookAtHelper _,
          DaemonCommand.KillHelper _,
          DaemonCommand.Unpin _,
          DaemonCommand.UnpinUnknown _ -> {}
      case DaemonCommand.Disconnect c -> throw new AssertionError("nonsense from " + c.process());
    }
  }

  private Started started(int number) {
    Started started = processes.get(number);
    if (started == null) {
      throw new AssertionError("there is no process " + number);
    }
    return started;
  }

  private void start(int number) {
    Started started = new Started(number);
    processes.put(number, started);
    long delay = host.startDelay();
    if (host.failsToStart()) {
      host.after(
          host.delay(),
          "not started",
          number,
          () -> feed(new DaemonEvent.NotStarted(number, "no more processes")));
      return;
    }
    host.after(
        host.delay(),
        "started",
        number,
        () -> {
          feed(new DaemonEvent.Started(number, number));
          if (delay < Long.MAX_VALUE) {
            host.after(delay, "connected", number, () -> connected(started));
          }
        });
  }

  private void connected(Started started) {
    if (!started.killed) {
      started.connected = true;
      feed(new DaemonEvent.Connected(started.number, "/warm-up"));
    }
  }

  private void tell(Started started, ToRank message) {
    SimProcess process = started.process;
    switch (message) {
      case ToRank.Assign m -> {
        SimProcess made = host.run(m.config(), program);
        started.process = made;
        byProcess.put(made, started);
      }
      case ToRank.Forward m -> {
        if (process != null) {
          host.send(process, m.message());
        }
      }
      case ToRank.WarmUp _, ToRank.HoldLifeline _, ToRank.Stack _, ToRank.Begin _ -> {}
    }
  }

  private void kill(Started started) {
    SimProcess process = started.process;
    if (process != null) {
      boolean first = !started.killed;
      started.killed = true;
      if (host.kill(process) && first) {
        host.after(
            0, "was dying", started.number, () -> feed(new DaemonEvent.WasDying(started.number)));
      }
    } else if (!started.killed) {
      started.killed = true;
      host.after(
          host.delay(),
          "dead before it ran",
          started.number,
          () -> {
            if (started.connected) {
              started.connected = false;
              feed(new DaemonEvent.Disconnected(started.number, false));
            }
            feed(new DaemonEvent.Exited(started.number, KILLED));
          });
    }
  }
}
