package org.fmi.testkit;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * The connection between fmirun and the daemon of one life of a node: in order both ways, with
 * heartbeats. Either side may stand still or be cut off from the other for a while; whoever hears
 * nothing for the heartbeat's timeout closes it. Then fmirun counts the node as lost, and the
 * daemon ends with all it has started.
 */
final class SimControl {
  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimNode.Boot boot;
  private final Lane upLane;
  private final Lane downLane;

  /** Arrived, and held up by a cut or by a side that stands still. */
  private final ArrayDeque<Late> up = new ArrayDeque<>();

  private final ArrayDeque<Late> down = new ArrayDeque<>();

  /** What waits for a daemon that stands still. */
  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

  /** fmirun's end, and the daemon's. */
  private boolean jobEnd = true;

  private boolean daemonEnd = true;

  /** How many faults hold up each direction now, and how many have made the daemon stand still. */
  private int cutsUp;

  private int cutsDown;
  private int pauses;
  private int pausesBegun;

  private final Hearing jobHears = new Hearing();
  private final Hearing daemonHears = new Hearing();

  /** What was to arrive later than this went down with the node. */
  private long lastReport = Long.MAX_VALUE;

  private record Late(String what, long subject, Runnable action) {}

  /** Whether a side hears the other, and how often that has changed. */
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

  /** How often the daemon has stood still. */
  int pausesBegun() {
    return pausesBegun;
  }

  private boolean upClear() {
    return cutsUp == 0 && !boot.isolated && !cluster.faults().fmirunPaused();
  }

  private boolean downClear() {
    return cutsDown == 0 && !boot.isolated && pauses == 0;
  }

  /** Whether fmirun can log in to the node. */
  boolean reachable() {
    return cutsUp == 0 && cutsDown == 0 && !boot.isolated;
  }

  /** The daemon reports something. */
  void report(String what, long subject, Consumer<Supervisor> to) {
    if (!boot.alive || !daemonEnd) {
      return;
    }
    sendUp(new Late(what, subject, () -> tell(to)));
  }

  /** Does something at the daemon, now or when it does not stand still any more. */
  void whenDaemonRuns(Runnable action) {
    if (pauses > 0) {
      waiting.add(action);
    } else {
      action.run();
    }
  }

  private void tell(Consumer<Supervisor> to) {
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
            up.add(late);
          }
        });
  }

  /** fmirun gives an order. */
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
        "daemon goes on",
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

  /** fmirun goes on. */
  void resumed() {
    update();
    drainUp();
  }

  /** The daemon is gone, with its node or alone. */
  void daemonDied(boolean unheard) {
    daemonEnd = false;
    if (unheard) {
      lastReport = simulation.nanoTime();
      update();
    } else {
      lastReport = simulation.nanoTime() + cluster.controlDelay();
      long delay = lastReport - simulation.nanoTime() + 1;
      simulation.after(delay, "daemon gone", boot.node.number, this::sawEnd);
    }
  }

  private void sawEnd() {
    if (upClear()) {
      lose("the connection to its daemon broke");
    } else {
      up.add(new Late("daemon gone", boot.node.number, this::sawEnd));
    }
    update();
  }

  /** fmirun loses the node, unless it has before. */
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

  /** fmirun closes its end: the daemon sees that, when it can, and ends. */
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

  /** Something has changed: does each side still hear the other? */
  void update() {
    boolean noDaemon = !boot.alive || pauses > 0 || cutsUp > 0 || boot.isolated;
    if (jobEnd && change(jobHears, noDaemon)) {
      watchDaemon(jobHears.changes);
    }
    boolean noJob = cluster.faults().fmirunPaused() || cutsDown > 0 || boot.isolated;
    if (daemonEnd && change(daemonHears, noJob)) {
      watchJob(daemonHears.changes);
    }
  }

  /** Notes a change; tells whether the silence begins. */
  private static boolean change(Hearing hearing, boolean silent) {
    if (hearing.silent == silent) {
      return false;
    }
    hearing.silent = silent;
    hearing.changes++;
    return silent;
  }

  private void watchDaemon(int change) {
    int before = cluster.faults().fmirunPauses();
    simulation.after(
        cluster.heartbeatTimeout(),
        "daemon silent",
        boot.node.number,
        () -> {
          if (!jobEnd || !jobHears.silent || jobHears.changes != change) {
            return;
          }
          if (cluster.faults().fmirunPaused() || cluster.faults().fmirunPauses() != before) {
            watchDaemon(change);
          } else {
            lose("its daemon was silent");
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
            endDaemon();
          }
        });
  }
}
