package org.fmi.testkit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimNode.Boot;

/**
 * Injects failures into a simulated cluster, at once, as a test or a {@link FaultPlan} asks. Called
 * by code that runs in the simulation, or before it runs.
 */
public final class SimFaults {
  private final SimCluster cluster;
  private final Simulation simulation;

  private FaultPlan plan = FaultPlan.none();
  private int nextFault;
  private long lastFaultNanos;
  private long sinceGap;
  private long primitives;

  /** The number of current pauses of fmirun, and of all its pauses. */
  private int fmirunPauses;

  private int fmirunPausesBegun;

  /** Connections that wait for the end of fmirun's pause, in order; their nodes may have died. */
  private final Set<SimControl> deferred = new LinkedHashSet<>();

  /** The node and iteration where processes are still killed, and how often. */
  private int deadlyNode;

  private long deadlyIteration;
  private int kills;

  SimFaults(SimCluster cluster) {
    this.cluster = cluster;
    this.simulation = cluster.simulation();
  }

  /** Injects the failures of a plan from now on. */
  void inject(FaultPlan faults) {
    plan = faults;
    nextFault = 0;
    sinceGap = 0;
    lastFaultNanos = simulation.nanoTime();
  }

  /** Number of failures of the plan that were injected. */
  int injected() {
    return nextFault;
  }

  /** Number of primitives executed by all ranks so far. */
  long primitives() {
    return primitives;
  }

  /** The failures that were injected, for messages. */
  String describe() {
    return plan.steps().subList(0, nextFault).toString();
  }

  /** Whether fmirun pauses. */
  boolean fmirunPaused() {
    return fmirunPauses > 0;
  }

  /** Notes that a connection has something for fmirun that may wait for the end of its pause. */
  void deferred(SimControl control) {
    if (fmirunPaused()) {
      deferred.add(control);
    }
  }

  /** The number of pauses of fmirun so far. */
  int fmirunPauses() {
    return fmirunPausesBegun;
  }

  /** SIGKILL of the process that serves a rank, if there is one. */
  public void crash(int rank) {
    SimProcess process = cluster.process(rank);
    if (process != null && process.alive()) {
      cluster.crash(process);
    }
  }

  /** SIGKILL of the process that serves a rank; the system needs {@code nanos} to end it. */
  public void crashSlowly(int rank, long nanos) {
    SimProcess process = cluster.process(rank);
    if (process != null && process.alive()) {
      simulation.note("slow end", rank);
      process.die(true);
      cluster.reportDeath(process, cluster.controlDelay());
      simulation.after(nanos, "is dead", rank, () -> buried(process));
    }
  }

  private void buried(SimProcess process) {
    if (process.boot().alive) {
      process.hangUp();
      process.boot().processes.remove(process);
      cluster.reportExit(process, cluster.controlDelay(), SimCluster.SIGKILLED, true);
    }
  }

  /** A node dies and its connections break. It can be started again after {@code repairNanos}. */
  public void crashNode(int node, long repairNanos) {
    strike(node, false, repairNanos);
  }

  /** SIGKILL of a node's daemon. */
  public void killDaemon(int node) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      cluster.orphan(boot);
    }
  }

  /** A node dies in silence. It can be started again after {@code repairNanos}. */
  public void powerOff(int node, long repairNanos) {
    strike(node, true, repairNanos);
  }

  private void strike(int node, boolean unheard, long repairNanos) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.struck = true;
      boot.repairNanos = repairNanos;
      cluster.die(boot, unheard);
    } else {
      cluster.dieOrphaned(cluster.node(node), repairNanos);
    }
  }

  /** Cuts a node off from all nodes and the job; its daemon kills its ranks some time later. */
  public void isolate(int node, long repairNanos) {
    Boot boot = cluster.boot(node);
    if (boot != null && !boot.isolated) {
      boot.isolated = true;
      boot.struck = true;
      boot.repairNanos = repairNanos;
      cluster.network().changed();
      boot.control.update();
    }
  }

  /**
   * Cuts a node's daemon off from fmirun for {@code nanos}.
   *
   * @param upward whether the cut blocks messages to fmirun
   * @param downward whether the cut blocks messages to the daemon
   */
  public void cutFromJob(int node, boolean upward, boolean downward, long nanos) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.control.cut(upward, downward, nanos);
    }
  }

  /** Pauses a node's daemon for {@code nanos}; its ranks end if they miss its heartbeats. */
  public void pauseDaemon(int node, long nanos) {
    Boot boot = cluster.boot(node);
    if (boot == null) {
      return;
    }
    boot.control.pause(nanos);
    int pause = boot.control.pausesBegun();
    for (SimProcess process : boot.processes) {
      process.post(
          cluster.heartbeatTimeout(),
          "misses its daemon",
          () -> {
            if (boot.control.paused() && boot.control.pausesBegun() == pause) {
              cluster.crash(process);
            }
          });
    }
  }

  /** Pauses fmirun for {@code nanos}. */
  public void pauseFmirun(long nanos) {
    fmirunPauses++;
    fmirunPausesBegun++;
    cluster.boots().forEach(boot -> boot.control.update());
    simulation.after(
        nanos,
        "fmirun resumes",
        0,
        () -> {
          fmirunPauses--;
          if (fmirunPauses == 0) {
            cluster.boots().forEach(boot -> deferred.add(boot.control));
            List<SimControl> all = List.copyOf(deferred);
            deferred.clear();
            all.forEach(SimControl::resumed);
          }
        });
  }

  /** SIGSTOP of a rank's process, and SIGCONT after {@code nanos}. */
  public void freeze(int rank, long nanos) {
    SimProcess process = cluster.process(rank);
    if (process == null || !process.alive() || process.frozen()) {
      return;
    }
    process.freeze();
    simulation.after(nanos, "thaw", rank, process::thaw);
    watch(process, process.freezes());
  }

  /** The daemon misses the heartbeats of a stopped process, unless it pauses itself. */
  private void watch(SimProcess process, int freeze) {
    SimControl control = process.boot().control;
    int pauses = control.pausesBegun();
    simulation.after(
        cluster.heartbeatTimeout(),
        "silent",
        process.rank(),
        () -> {
          if (!process.frozen() || process.freezes() != freeze) {
            return;
          }
          if (control.paused() || control.pausesBegun() != pauses || process.stopped()) {
            watch(process, freeze);
          } else {
            process.cutOff();
            cluster.atDaemon(process.boot(), () -> process.boot().daemon.onSilent(process));
          }
        });
  }

  /** Cuts two nodes off from each other for {@code nanos}. */
  public void partition(int a, int b, long nanos) {
    silence(a, b, nanos);
    silence(b, a, nanos);
  }

  /**
   * Cuts the nodes from {@code a} to {@code b} off from all others for {@code nanos}; the last link
   * heals then, the others earlier. If these are all nodes, {@code a} is cut off alone.
   */
  public void cutRack(int a, int b, long nanos) {
    int first = Math.min(a, b);
    int last = Math.max(a, b);
    if (last - first + 1 >= cluster.nodes()) {
      first = a;
      last = a;
    }
    for (int in = first; in <= last; in++) {
      for (int out = 0; out < cluster.nodes(); out++) {
        if (out < first || out > last) {
          partition(in, out, nanos - simulation.random().nextLong(nanos / 2 + 1));
        }
      }
    }
  }

  /** Cuts all nodes off from each other and from fmirun for {@code nanos}. */
  public void switchOut(long nanos) {
    for (int a = 0; a < cluster.nodes(); a++) {
      cutFromJob(a, true, true, nanos);
      for (int b = 0; b < a; b++) {
        partition(a, b, nanos);
      }
    }
  }

  /** Resets the connection between a node's daemon and fmirun. */
  public void breakControl(int node) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.control.reset();
    }
  }

  /** Passes a wish of a user, or of the owner of a node, to the job. */
  private void announce(long after, String what, int node, Consumer<Supervisor> to) {
    Supervisor by = cluster.supervisor();
    if (by != null && after < Long.MAX_VALUE) {
      simulation.after(after, what, node, () -> to.accept(by));
    }
  }

  /** Blocks all data from one node to another for {@code nanos}. */
  public void silence(int from, int to, long nanos) {
    if (from != to) {
      cluster.network().cut(from, to);
      simulation.after(nanos, "heal", from, () -> cluster.network().heal(from, to));
    }
  }

  /** Breaks the data connection between two ranks, if there is one. */
  public void breakConnection(int rank, int other) {
    SimProcess process = cluster.process(rank);
    if (process != null && rank != other) {
      cluster.observer().onAccused();
      process.breakConnection(other);
    }
  }

  /** The detector of rank {@code by} suspects {@code rank}, which is alive. */
  public void suspectFalsely(int by, int rank) {
    SimProcess process = cluster.process(by);
    if (process != null && by != rank) {
      cluster.observer().onAccused();
      process.suspectFalsely(rank);
    }
  }

  /** A stranger without the job's secret asks a rank for connections. */
  public void intrude(int rank) {
    SimProcess process = cluster.process(rank);
    if (process != null) {
      process.intrude();
    }
  }

  /** Flips a bit of a node's memory, or none if the drawn bit must not flip. */
  public void corruptMemory(int node) {
    Boot boot = cluster.boot(node);
    SimObserver observer = cluster.observer();
    if (boot != null
        && boot.memory.corrupt(simulation.random(), piece -> observer.mayFlip(node, piece))) {
      observer.onCorrupted(node);
    }
  }

  /** Damages a node's memory in a chosen way. */
  public void corruptMemory(int node, Consumer<SimNodeMemory> how) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      how.accept(boot.memory);
      cluster.observer().onCorrupted(node);
    }
  }

  /** Another program takes all free memory of a node for {@code nanos}. */
  public void fillMemory(int node, long nanos) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.memory.fill();
      if (nanos < Long.MAX_VALUE) {
        simulation.after(nanos, "memory is free again", node, boot.memory::drain);
      }
    }
  }

  /** The next access of a rank's process to the node's memory fails. */
  public void failMemory(int rank) {
    SimProcess process = cluster.process(rank);
    if (process != null) {
      process.failMemory();
    }
  }

  /** No process can be started on a node for {@code nanos}. */
  public void failStarts(int node, long nanos) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.failsToStartUntil = Math.max(boot.failsToStartUntil, simulation.nanoTime() + nanos);
    }
  }

  /**
   * The next process on a node takes longer to come up; it never does with {@link Long#MAX_VALUE}.
   */
  public void delayStart(int node, long nanos) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.startDelay = nanos;
    }
  }

  /**
   * The next process on a node that is given a rank waits before its main; with {@link
   * Long#MAX_VALUE} it never joins.
   */
  public void delayMain(int node, long nanos) {
    Boot boot = cluster.boot(node);
    if (boot != null) {
      boot.mainDelay = nanos;
    }
  }

  /**
   * The daemon of a node never comes up. Called before the job launches it.
   *
   * @param silently whether only its silence shows that
   */
  public void failLaunch(int node, boolean silently) {
    cluster.node(node).launchFails = true;
    cluster.node(node).launchHangs = silently;
  }

  /** The system of a node kills each process there that reaches an iteration, {@code times}. */
  public void killAt(int node, long iteration, int times) {
    deadlyNode = node;
    deadlyIteration = iteration;
    kills = times;
  }

  /** The program of a process is at an iteration. */
  public void atIteration(SimProcess process, long iteration, long computed) {
    cluster.observer().onIteration(process, iteration, computed);
    atIteration(process, iteration);
  }

  /** Kills the process if its node is deadly at this iteration. */
  public void atIteration(SimProcess process, long iteration) {
    if (kills > 0 && process.node() == deadlyNode && iteration == deadlyIteration) {
      kills--;
      simulation.note("killed again", process.rank());
      cluster.observer().onKilledAgain(process.rank());
      cluster.crash(process);
    }
  }

  /** {@code process} executes a primitive: injects a failure that is due. */
  void atPrimitive(SimProcess process) {
    primitives++;
    if (nextFault == plan.steps().size() || cluster.isShutDown()) {
      return;
    }
    Step step = plan.steps().get(nextFault);
    if (simulation.nanoTime() - lastFaultNanos < step.gapNanos()
        || ++sinceGap < step.gapPrimitives()) {
      return;
    }
    nextFault++;
    sinceGap = 0;
    lastFaultNanos = simulation.nanoTime();
    simulation.note(step.kind().name(), step.victim());
    Step aimed = aim(step, process);
    cluster.observer().onFault(aimed);
    carryOut(aimed);
  }

  /** Directs a failure at a rank or node that is up, or at a host that has lost its daemon. */
  private Step aim(Step step, SimProcess running) {
    SimProcess named = cluster.process(step.victim());
    boolean there =
        step.kind().isOfRank()
            ? named != null && named.alive()
            : step.victim() >= 0
                && step.victim() < cluster.nodes()
                && (cluster.boot(step.victim()) != null || killsHost(step));
    int other = step.kind().isOfRank() ? running.rank() : running.node();
    return there ? step : step.withVictim(other);
  }

  private boolean killsHost(Step step) {
    return switch (step.kind()) {
      case CRASH_NODE, POWER_OFF -> cluster.node(step.victim()).orphaned != null;
      default -> false;
    };
  }

  private void carryOut(Step step) {
    int rank = step.victim();
    int node = step.victim();
    switch (step.kind()) {
      case KILL_RANK -> crash(rank);
      case SLOW_DEATH -> crashSlowly(rank, step.nanos());
      case CRASH_NODE -> crashNode(node, step.nanos());
      case KILL_DAEMON -> killDaemon(node);
      case POWER_OFF -> powerOff(node, step.nanos());
      case FREEZE -> freeze(rank, step.nanos());
      case ISOLATE_NODE -> isolate(node, step.nanos());
      case PARTITION -> partition(node, step.other(), step.nanos());
      case CUT_RACK -> cutRack(node, step.other(), step.nanos());
      case SWITCH_OUT -> switchOut(step.nanos());
      case BREAK_CONTROL -> breakControl(node);
      case DRAIN -> {
        announce(1, "drain", node, by -> by.onDrain(node));
        announce(step.nanos(), "drain is over", node, by -> by.onDrainOver(node));
      }
      case ADD_NODE -> announce(1, "add a node", node, Supervisor::onAddition);
      case BREAK_CONNECTION -> breakConnection(rank, step.other());
      case FALSE_SUSPICION -> suspectFalsely(step.other(), rank);
      case STRANGER -> intrude(rank);
      case CORRUPT_MEMORY -> corruptMemory(node);
      case ONE_WAY -> silence(node, step.other(), step.nanos());
      case CUT_FROM_JOB -> cutFromJob(node, true, true, step.nanos());
      case UNHEARD_BY_JOB -> cutFromJob(node, true, false, step.nanos());
      case DEAF_TO_JOB -> cutFromJob(node, false, true, step.nanos());
      case PAUSE_DAEMON -> pauseDaemon(node, step.nanos());
      case PAUSE_FMIRUN -> pauseFmirun(step.nanos());
      case START_FAILS -> failStarts(node, step.nanos());
      case START_HANGS -> delayStart(node, step.nanos());
      case JOIN_HANGS -> delayMain(node, step.nanos());
      case FILL_MEMORY -> fillMemory(node, step.nanos());
      case MEMORY_ERROR -> failMemory(rank);
    }
  }
}
