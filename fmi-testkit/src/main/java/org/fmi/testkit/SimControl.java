package org.fmi.testkit;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The messages between fmirun and the daemon of one life of a node: in order in both directions,
 * over one connection after the other, with heartbeats. Either side may pause or be cut off from
 * the other for a while. A side that hears nothing for the heartbeat timeout closes the connection,
 * and the daemon makes another one as soon as both directions are open; what was not heard is then
 * sent again. Meanwhile the node is silent for fmirun, and lost after the grace.
 */
final class SimControl {
  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimNode.Boot boot;
  private final Lane upLane;
  private final Lane downLane;

  private static final long TIMEOUT_NANOS = SimCluster.HEARTBEAT_TIMEOUT_MILLIS * 1_000_000L;

  private static final long GRACE_NANOS = SimCluster.GRACE_MILLIS * 1_000_000L;

  /** Messages that have arrived, but are blocked by a cut or a pause. */
  private final ArrayDeque<Late> up = new ArrayDeque<>();

  private final ArrayDeque<Late> down = new ArrayDeque<>();

  /** Actions that wait for a paused daemon. */
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** Whether fmirun's end, and the daemon's, is open. */
  private boolean jobEnd = true;

  private boolean daemonEnd = true;

  /**
   * The number of faults that block each direction now, of current pauses of the daemon, and of all
   * its pauses.
   */
  private int cutsUp;

  private int cutsDown;
  private int pauses;
  private int pausesBegun;

  /** Whether the daemon has closed the connection, and has none. */
  private boolean closed;

  /** The number of messages that had arrived, and waited, when it was closed. */
  private int upAtClose;

  /** Whether the silence was reported. */
  private boolean silent;

  private final Hearing jobHears = new Hearing();
  private final Hearing daemonHears = new Hearing();

  /** Messages that would arrive later than this were lost with the node. */
  private long lastReport = Long.MAX_VALUE;

  private record Late(String what, long subject, Runnable action) {}

  /** Whether a side is silent, as seen by the other, and how often that has changed. */
  private static final class Hearing {
    boolean silent;
    int changes;
  }

  SimControl(SimCluster cluster, SimNode.Boot boot) {
    this.cluster = cluster;
    this.simulation = cluster.simulation();
    this.boot = boot;
    this.upLane = new Lane(simulation);
    this.downLane = new Lane(simulation);
  }

  /** Whether fmirun counts the node as up. */
  boolean known() {
    return jobEnd;
  }

  boolean paused() {
    return pauses > 0;
  }

  /** The number of pauses of the daemon so far. */
  int pausesBegun() {
    return pausesBegun;
  }

  private boolean upClear() {
    // That a daemon has ended, the system of its node tells fmirun, which asks.
    return !(closed && boot.alive)
        && cutsUp == 0
        && !boot.isolated
        && !cluster.faults().fmirunPaused();
  }

  private boolean downClear() {
    return !closed && cutsDown == 0 && !boot.isolated && pauses == 0;
  }

  /** Whether fmirun can log in to the node. */
  boolean reachable() {
    return cutsUp == 0 && cutsDown == 0 && !boot.isolated;
  }

  /** Sends a report of the daemon. */
  void report(String what, long subject, Consumer<Supervisor> to) {
    if (!boot.alive || !daemonEnd) {
      return;
    }
    sendUp(new Late(what, subject, () -> deliver(to)));
  }

  /** Runs an action at the daemon, now or after its pause. */
  void whenDaemonRuns(Runnable action) {
    if (pauses > 0) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  private void deliver(Consumer<Supervisor> to) {
    Supervisor by = cluster.supervisor();
    if (jobEnd && by != null) {
      to.accept(by);
    }
  }

  private void sendUp(Late late) {
    long delay = upLane.delay(cluster.controlDelay());
    long arrival = simulation.nanoTime() + delay;
    simulation.after(
        delay,
        late.what,
        late.subject,
        () -> {
          if (arrival > lastReport) {
            return;
          }
          if (up.isEmpty() && upClear()) {
            late.action.run();
          } else {
            defer(late);
          }
        });
  }

  /** Sends an order of fmirun. */
  void command(String what, long subject, Runnable action) {
    if (!jobEnd) {
      return;
    }
    Late late =
        new Late(
            what,
            subject,
            () -> {
              if (boot.alive && daemonEnd) {
                action.run();
              }
            });
    sendDown(late);
  }

  private void sendDown(Late late) {
    simulation.after(
        downLane.delay(cluster.controlDelay()),
        late.what,
        late.subject,
        () -> {
          if (down.isEmpty() && downClear()) {
            late.action.run();
          } else {
            down.add(late);
          }
        });
  }

  private void defer(Late late) {
    up.add(late);
    cluster.faults().deferred(this);
  }

  private void drainUp() {
    if (!up.isEmpty()) {
      simulation.after(
          1,
          "late report",
          boot.node.number,
          () -> {
            if (upClear() && !up.isEmpty()) {
              up.remove().action.run();
              drainUp();
            }
          });
    }
  }

  private void drainDown() {
    if (!down.isEmpty()) {
      simulation.after(
          1,
          "late command",
          boot.node.number,
          () -> {
            if (downClear() && !down.isEmpty()) {
              down.remove().action.run();
              drainDown();
            }
          });
    }
  }

  // ---- faults

  void cut(boolean upward, boolean downward, long nanos) {
    cutsUp += upward ? 1 : 0;
    cutsDown += downward ? 1 : 0;
    update();
    simulation.after(
        nanos,
        "heal",
        boot.node.number,
        () -> {
          cutsUp -= upward ? 1 : 0;
          cutsDown -= downward ? 1 : 0;
          update();
          drainUp();
          drainDown();
        });
  }

  void pause(long nanos) {
    pauses++;
    pausesBegun++;
    update();
    simulation.after(
        nanos,
        "daemon resumes",
        boot.node.number,
        () -> {
          pauses--;
          update();
          while (pauses == 0 && boot.alive && !waiting.isEmpty()) {
            waiting.remove().run();
          }
          if (pauses == 0) {
            drainDown();
          }
        });
  }

  /** fmirun's pause is over. */
  void resumed() {
    update();
    drainUp();
  }

  /** The daemon is gone, alone or with its node. */
  void daemonDied(boolean unheard) {
    daemonEnd = false;
    while (closed && up.size() > upAtClose) {
      up.removeLast(); // it would have been sent on the next connection
    }
    if (unheard) {
      lastReport = simulation.nanoTime();
      update();
    } else {
      lastReport = simulation.nanoTime() + cluster.controlDelay();
      long delay = lastReport - simulation.nanoTime() + 1;
      simulation.after(delay, "daemon gone", boot.node.number, this::sawEnd);
    }
  }

  private void close() {
    closed = true;
    upAtClose = up.size();
  }

  /** The connection is reset: the daemon makes another one. */
  void reset() {
    if (jobEnd && daemonEnd) {
      close();
      simulation.after(cluster.controlDelay(), "redial", boot.node.number, this::update);
    }
  }

  private void sawEnd() {
    if (upClear()) {
      sawEnd("the connection to its daemon broke");
    } else {
      defer(new Late("daemon gone", boot.node.number, this::sawEnd));
    }
    update();
  }

  private void sawEnd(String reason) {
    SimNodeMemory kept = boot.node.orphaned;
    Supervisor by = cluster.supervisor();
    if (jobEnd && by != null && boot.memory.equals(kept)) {
      hangUp();
      by.onDaemonLost(boot.node.number, reason);
    } else {
      lose(reason);
    }
  }

  /** fmirun loses the node, unless it already has. */
  void lose(String reason) {
    if (!jobEnd) {
      return;
    }
    hangUp();
    Supervisor by = cluster.supervisor();
    if (by != null) {
      by.onNodeLost(boot.node.number, reason);
    }
  }

  /** Closes fmirun's end: the daemon ends once it sees that. */
  void hangUp() {
    if (!jobEnd) {
      return;
    }
    jobEnd = false;
    sendDown(new Late("hung up", boot.node.number, this::endDaemon));
  }

  private void endDaemon() {
    if (daemonEnd) {
      cluster.fmirunGone(boot);
    }
  }

  // ---- heartbeats

  /** Recomputes whether each side is silent for the other, after a change. */
  void update() {
    boolean jobPaused = cluster.faults().fmirunPaused();
    if (closed && reachable() && pauses == 0 && !jobPaused && boot.alive) {
      closed = false;
      drainUp();
      drainDown();
    }
    boolean noDaemon = !boot.alive || pauses > 0 || cutsUp > 0 || boot.isolated || closed;
    if (jobEnd && change(jobHears, noDaemon)) {
      watchDaemon(jobHears.changes);
    }
    if (!noDaemon && silent) {
      // Before anything that the daemon says.
      becomeHeard();
    }
    boolean noJob = jobPaused || cutsDown > 0 || boot.isolated;
    if (daemonEnd && change(daemonHears, noJob)) {
      watchJob(daemonHears.changes);
    }
  }

  /** Records a change; returns whether the silence starts. */
  private static boolean change(Hearing hearing, boolean silent) {
    if (hearing.silent == silent) {
      return false;
    }
    hearing.silent = silent;
    hearing.changes++;
    return silent;
  }

  private void watchDaemon(int change) {
    int pausesBefore = cluster.faults().fmirunPauses();
    whileSilent(
        change,
        cluster.heartbeatTimeout(),
        () -> {
          if (cluster.faults().fmirunPauses() != pausesBefore) {
            watchDaemon(change); // fmirun has not listened all the time
            return;
          }
          // Its lease has certainly ended.
          whileSilent(change, TIMEOUT_NANOS / 2, this::becomeSilent);
          whileSilent(change, GRACE_NANOS, () -> lose("its daemon was silent"));
        });
  }

  /**
   * Runs an action if the daemon stays silent for so long. If fmirun pauses then, it first sees who
   * has called meanwhile.
   */
  private void whileSilent(int change, long nanos, Runnable action) {
    simulation.after(
        nanos,
        "daemon silent",
        boot.node.number,
        () -> {
          if (!jobEnd || !jobHears.silent || jobHears.changes != change) {
            return;
          }
          if (cluster.faults().fmirunPaused()) {
            whileSilent(change, TIMEOUT_NANOS, action);
          } else {
            action.run();
          }
        });
  }

  private void becomeSilent() {
    Supervisor by = cluster.supervisor();
    if (by != null) {
      silent = true;
      int up = 0;
      int quiet = 0;
      for (SimNode.Boot each : cluster.boots()) {
        up += each.control.jobEnd ? 1 : 0;
        quiet += each.control.jobEnd && each.control.jobHears.silent ? 1 : 0;
      }
      by.onNodeSilent(boot.node.number, 2 * quiet <= up);
    }
  }

  private void becomeHeard() {
    Supervisor by = cluster.supervisor();
    if (silent && jobEnd && by != null) {
      silent = false;
      by.onNodeHeard(boot.node.number);
    }
  }

  /** The daemon ends if it does not hear fmirun for the grace, as by its lease. */
  private void giveUp(int change) {
    simulation.after(
        GRACE_NANOS,
        "fmirun given up",
        boot.node.number,
        () -> {
          if (closed && daemonHears.changes == change) {
            endDaemon();
          }
        });
  }

  private void watchJob(int change) {
    int before = pausesBegun;
    simulation.after(
        cluster.heartbeatTimeout(),
        "fmirun silent",
        boot.node.number,
        () -> {
          if (!daemonEnd || !daemonHears.silent || daemonHears.changes != change) {
            return;
          }
          if (pauses > 0 || pausesBegun != before) {
            watchJob(change);
          } else {
            close();
            update();
            giveUp(daemonHears.changes);
          }
        });
  }
}
