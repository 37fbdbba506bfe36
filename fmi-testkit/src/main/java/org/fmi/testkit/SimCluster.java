package org.fmi.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.fmi.control.JobMessage;
import org.fmi.spi.JobSettings;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.SimNode.Boot;
import org.jspecify.annotations.Nullable;

/**
 * Simulated nodes with their daemons and processes.
 *
 * <p><i>Commands</i> ({@link #launch}, {@link #spawn}, {@link #kill}, {@link #fence}, {@link
 * #send}) are the job's: they travel to the node in order, and have no effect on a node that is
 * down or cut off. {@link SimFaults} injects failures. Called by code that runs in the simulation,
 * or before it runs.
 */
public final class SimCluster {
  /** The heartbeat timeout of ranks, daemons and fmirun. */
  public static final int HEARTBEAT_TIMEOUT_MILLIS = 500;

  /** Time for which fmirun and a daemon that do not hear each other wait. */
  public static final int GRACE_MILLIS = 6 * HEARTBEAT_TIMEOUT_MILLIS;

  /** fmirun gives up a node whose daemon has not signed in after this long. */
  private static final long LAUNCH_TIMEOUT_NANOS = 10_000_000_000L;

  /** The number of exits in a failure's report. */
  private static final int KEPT_EXITS = 8;

  static final int SIGKILLED = 128 + 9;

  private final Simulation simulation;
  private final SimModel model;
  private final long memoryPerNode;
  private final SimNode[] nodes;
  private final SimNetwork network;
  private final SimFaults faults;
  private final Map<Long, Boot> placed = new HashMap<>();
  private final TreeMap<Integer, SimProcess> serving = new TreeMap<>();
  private final List<Exit> exits = new ArrayList<>();
  private @Nullable Supervisor supervisor;
  private SimDaemon.Factory daemons = host -> new PlainDaemon(this, host);
  private SimObserver observer = new SimObserver() {};
  private SimTraffic traffic = new SimTraffic() {};
  private boolean shutDown;

  /**
   * Creates a cluster whose nodes are all down.
   *
   * @param nodes number of nodes
   * @param memoryPerNode bytes of node memory
   */
  public SimCluster(Simulation simulation, SimModel model, int nodes, long memoryPerNode) {
    this.simulation = simulation;
    this.model = model;
    this.memoryPerNode = memoryPerNode;
    this.nodes = new SimNode[nodes];
    Arrays.setAll(this.nodes, SimNode::new);
    this.network = new SimNetwork(this);
    this.faults = new SimFaults(this);
    simulation.onFailure(this::describe);
  }

  /** The exit of a process that was not killed. */
  public record Exit(int rank, int incarnation, int status, @Nullable Throwable cause) {}

  /** Sets the factory for the daemons of nodes that come up from now on. */
  public void daemons(SimDaemon.Factory factory) {
    daemons = factory;
  }

  /** Sets the listener to reports from nodes. */
  public void supervise(Supervisor by) {
    supervisor = by;
  }

  /** Sets the observer of the cluster's actual events. */
  public void observe(SimObserver by) {
    observer = by;
  }

  /** Sets the observer of the ranks' traffic. */
  public void watch(SimTraffic by) {
    traffic = by;
  }

  /** The observer of the ranks' traffic; programs report their sends and receives to it. */
  public SimTraffic traffic() {
    return traffic;
  }

  /** The injector of failures. */
  public SimFaults faults() {
    return faults;
  }

  /** Injects the failures of a plan from now on. */
  public void inject(FaultPlan plan) {
    faults.inject(plan);
  }

  /** Number of failures of the plan that were injected. */
  public int injected() {
    return faults.injected();
  }

  /** Number of primitives executed by all ranks so far. */
  public long primitives() {
    return faults.primitives();
  }

  public Simulation simulation() {
    return simulation;
  }

  public SimModel model() {
    return model;
  }

  /** Whether a node is up, connected, and not given up by fmirun. */
  public boolean isUsable(int node) {
    Boot boot = nodes[node].boot;
    return boot != null && !boot.isolated && boot.control.known();
  }

  /** Whether no data was blocked between two nodes, in either direction, for this long. */
  public boolean hears(int node, int other, long nanos) {
    return network.isOpen(node, other, nanos) && network.isOpen(other, node, nanos);
  }

  /** Whether the daemon of a node can be launched at all. */
  public boolean comesUp(int node) {
    return !nodes[node].launchFails;
  }

  /** Whether a node lives and can be reached, even if fmirun has given it up. */
  public boolean lives(int node) {
    Boot boot = nodes[node].boot;
    return boot == null ? nodes[node].orphaned != null : !boot.isolated;
  }

  /** Whether the job may still get what the memory of a node holds. */
  public boolean keepsMemory(int node) {
    Boot boot = nodes[node].boot;
    return boot == null ? nodes[node].orphaned != null : isUsable(node);
  }

  /** Whether other programs have taken the memory of a node. */
  public boolean isFull(int node) {
    SimNodeMemory memory = memory(node);
    return memory != null && memory.isFull();
  }

  /** Whether fmirun has ended. */
  boolean isShutDown() {
    return shutDown;
  }

  /** The nodes that have a daemon, and perhaps processes and memory. */
  public List<Integer> up() {
    return boots().stream().map(boot -> boot.node.number).toList();
  }

  /** The exits of processes that were not killed. */
  public List<Exit> exits() {
    return List.copyOf(exits);
  }

  /** The latest process of a rank. */
  public @Nullable SimProcess process(int rank) {
    return serving.get(rank);
  }

  /** The memory of a node; null while it is down. */
  public @Nullable SimNodeMemory memory(int node) {
    Boot boot = nodes[node].boot;
    return boot == null ? nodes[node].orphaned : boot.memory;
  }

  /** A rank's configuration, with values that suit a simulation. */
  public RankConfig config(int node, int rank, int size, int incarnation) {
    JobSettings job = RankConfigs.job(size).heartbeatMillis(HEARTBEAT_TIMEOUT_MILLIS).build();
    return RankConfigs.rank(rank, job)
        .jobId("sim-" + simulation.seed())
        .incarnation(incarnation)
        .host("node" + node)
        .node(node)
        .nodeDirectory("/node" + node)
        .ranksOnNode(1)
        .ranksOnMachine(1)
        .build();
  }

  // Commands

  /** Starts a node's daemon; tries again until it is up, unless the node never can be. */
  public void launch(int node) {
    simulation.after(
        model.nodeStart().draw(simulation.random()), "launch", node, () -> boot(nodes[node]));
  }

  private void boot(SimNode node) {
    if (shutDown) {
      return;
    }
    if (node.launchFails) {
      notLaunched(node);
      return;
    }
    Boot before = node.boot;
    if ((before != null && !before.isolated && before.control.known())
        || node.repairedAt == Long.MAX_VALUE) {
      return;
    }
    if (before != null || node.orphaned != null || node.repairedAt > simulation.nanoTime()) {
      launch(node.number);
      return;
    }
    boot(node, new SimNodeMemory(memoryPerNode));
  }

  private void boot(SimNode node, SimNodeMemory memory) {
    long clock = simulation.random().nextLong(1L << 40);
    Boot boot = new Boot(this, node, memory, clock, daemons);
    node.boot = boot;
    node.last = boot;
    boot.control.update();
    boot.daemon.onConnected();
  }

  /** Starts another daemon on a node, with the memory of the last one. */
  public void restartDaemon(int node) {
    simulation.after(
        model.nodeStart().draw(simulation.random()), "restart", node, () -> adopt(nodes[node]));
  }

  private void adopt(SimNode node) {
    SimNodeMemory memory = node.orphaned;
    Supervisor by = supervisor;
    if (shutDown) {
      return;
    }
    if (memory != null) {
      node.orphaned = null;
      boot(node, memory);
    } else if (node.diedOrphaned && by != null) {
      by.onDaemonLost(node.number, "cannot be reached, or has no memory of this job");
    }
  }

  private void notLaunched(SimNode node) {
    Supervisor by = supervisor;
    if (by != null) {
      simulation.after(
          node.launchHangs ? LAUNCH_TIMEOUT_NANOS : controlDelay(),
          "not launched",
          node.number,
          () -> by.onNodeLost(node.number, "its daemon did not come up"));
    }
  }

  /** Starts a process for a rank on the node that its configuration names. */
  public void spawn(RankConfig config, SimProgram program) {
    Boot boot = nodes[config.node()].boot;
    if (boot != null) {
      placed.put(key(config.rank(), config.incarnation()), boot);
      boot.control.command("spawn", config.rank(), () -> start(boot, config, program));
    }
  }

  private void start(Boot boot, RankConfig config, SimProgram program) {
    SimHost host = new SimHost(this, boot);
    long delay = host.startDelay();
    if (host.failsToStart()) {
      host.report(
          "start failed", config.rank(), () -> host.giveUp("cannot start rank " + config.rank()));
    } else if (delay < Long.MAX_VALUE) {
      host.after(delay, "start", config.rank(), () -> run(boot, config, program));
    }
  }

  SimProcess run(Boot boot, RankConfig config, SimProgram program) {
    SimProcess process = new SimProcess(this, boot, config, program);
    boot.processes.add(process);
    // A daemon that was silent may start one that was replaced meanwhile.
    serving.merge(
        config.rank(),
        process,
        (before, next) -> before.incarnation() > next.incarnation() ? before : next);
    if (boot.mainDelay > 0) {
      observer().onStartHangs(boot.mainDelay);
    }
    if (boot.mainDelay < Long.MAX_VALUE) {
      process.start(boot.mainDelay);
    }
    boot.mainDelay = 0;
    return process;
  }

  /**
   * Sends an order to the daemon of a node. The order has no effect if the daemon is gone or cut
   * off when it arrives.
   */
  public void order(int node, String what, long subject, Consumer<SimDaemon> order) {
    Boot boot = nodes[node].boot;
    if (boot != null) {
      boot.control.command(what, subject, () -> order.accept(boot.daemon));
    }
  }

  /** Kills a process (SIGKILL); its exit is reported. */
  public void kill(int rank, int incarnation) {
    Boot boot = placed.get(key(rank, incarnation));
    if (boot != null) {
      boot.control.command(
          "kill",
          rank,
          () -> {
            SimProcess process = find(boot, rank, incarnation);
            if (process != null) {
              crash(process);
            }
          });
    }
  }

  /**
   * Kills a node's daemon and processes and deletes its memory, if fmirun can reach it. fmirun
   * counts the node as lost from now on, and reports it.
   */
  public void fence(int node, String reason) {
    Boot boot = nodes[node].boot;
    if (boot == null) {
      simulation.after(controlDelay(), "fence", node, () -> forgetOrphaned(nodes[node]));
      Boot last = nodes[node].last;
      if (last != null) {
        simulation.after(0, "forget", node, () -> last.control.lose(reason));
      }
    } else {
      simulation.after(
          controlDelay(),
          "fence",
          node,
          () -> {
            if (boot.alive && boot.control.reachable()) {
              die(boot, false);
            }
          });
      simulation.after(0, "forget", node, () -> boot.control.lose(reason));
    }
  }

  private void forgetOrphaned(SimNode node) {
    node.diedOrphaned = false;
    loseOrphaned(node, false);
  }

  private void loseOrphaned(SimNode node, boolean struck) {
    SimNodeMemory memory = node.orphaned;
    if (memory != null) {
      node.orphaned = null;
      memory.clear();
      observer.onMemoryLost(node.number, struck);
    }
  }

  /** Ends fmirun: it disconnects from all daemons and starts no more. */
  public void shutDown() {
    shutDown = true;
    boots().forEach(boot -> boot.control.hangUp());
  }

  /** SIGKILL of a node's daemon; its ranks end with it. */
  public void killDaemon(int node) {
    faults.killDaemon(node);
  }

  /** Sends a message to a process. */
  public void send(int rank, int incarnation, JobMessage message) {
    Boot boot = placed.get(key(rank, incarnation));
    if (boot != null) {
      boot.control.command(
          "send",
          rank,
          () -> {
            SimProcess process = find(boot, rank, incarnation);
            if (process != null) {
              process.link().deliver(message);
            }
          });
    }
  }

  /** Sends a message to all processes. */
  public void sendAll(JobMessage message) {
    for (SimNode node : nodes) {
      Boot boot = node.boot;
      if (boot != null) {
        boot.control.command(
            "send all",
            node.number,
            () -> boot.processes.forEach(process -> process.link().deliver(message)));
      }
    }
  }

  void crash(SimProcess process) {
    if (process.alive()) {
      end(process, SIGKILLED, true);
    }
  }

  // used by the simulated components

  SimNetwork network() {
    return network;
  }

  @Nullable Supervisor supervisor() {
    return supervisor;
  }

  int nodes() {
    return nodes.length;
  }

  SimNode node(int number) {
    return nodes[number];
  }

  /** The current life of a node; null while it is down. */
  @Nullable Boot boot(int node) {
    return nodes[node].boot;
  }

  /** The nodes that are up. */
  List<Boot> boots() {
    List<Boot> up = new ArrayList<>();
    for (SimNode node : nodes) {
      if (node.boot != null) {
        up.add(node.boot);
      }
    }
    return up;
  }

  SimObserver observer() {
    return observer;
  }

  long controlDelay() {
    return model.control().draw(simulation.random());
  }

  /** The heartbeat timeout of one process, slightly random. */
  long timeout(RankConfig config) {
    return config.job().heartbeatMillis() * 1_000_000L + controlDelay();
  }

  long heartbeatTimeout() {
    long timeout = HEARTBEAT_TIMEOUT_MILLIS * 1_000_000L;
    return timeout + simulation.random().nextLong(timeout / 4);
  }

  /** A process' program returned or threw. Called by its own thread. */
  void exited(SimProcess process, int status, @Nullable Throwable cause) {
    exits.add(new Exit(process.rank(), process.incarnation(), status, cause));
    process.link().exiting();
    end(process, status, false);
  }

  void end(SimProcess process, int status, boolean signaled) {
    simulation.note("end", process.rank());
    process.die(false);
    process.boot().processes.remove(process);
    long clearing = controlDelay();
    if (signaled) {
      reportDeath(process, simulation.random().nextLong(clearing + 1));
    }
    reportExit(process, clearing, status, signaled);
  }

  void reportDeath(SimProcess process, long after) {
    simulation.after(
        after,
        "death",
        process.rank(),
        () -> atDaemon(process.boot(), () -> process.boot().daemon.onDying(process)));
  }

  void reportExit(SimProcess process, long after, int status, boolean signaled) {
    simulation.after(
        after,
        "exit",
        process.rank(),
        () ->
            atDaemon(
                process.boot(), () -> process.boot().daemon.onExited(process, status, signaled)));
  }

  /**
   * Runs an action at the daemon of a node, once it does not pause; drops it if the daemon is gone.
   */
  void atDaemon(Boot boot, Runnable action) {
    if (boot.alive) {
      boot.control.whenDaemonRuns(action);
    }
  }

  /** A daemon has lost its connection to fmirun. */
  void fmirunGone(Boot boot) {
    atDaemon(boot, boot.daemon::onFmirunGone);
  }

  void die(Boot boot, boolean unheard) {
    if (!boot.alive) {
      return;
    }
    simulation.note("node dies", boot.node.number);
    end(boot, unheard);
    repairs(boot.node, boot.repairNanos);
    boot.memory.clear();
    observer.onMemoryLost(boot.node.number, boot.struck);
    boot.control.daemonDied(unheard || boot.isolated);
  }

  private void repairs(SimNode node, long nanos) {
    long now = simulation.nanoTime();
    node.repairedAt = nanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + nanos;
  }

  /** A node without a daemon dies. */
  void dieOrphaned(SimNode node, long repairNanos) {
    if (node.orphaned != null) {
      simulation.note("node without a daemon dies", node.number);
      node.diedOrphaned = true;
      repairs(node, repairNanos);
      loseOrphaned(node, true);
    }
  }

  /** A daemon dies, with its ranks and without the node's memory. */
  void orphan(Boot boot) {
    if (!boot.alive || boot.isolated) {
      die(boot, false);
      return;
    }
    simulation.note("daemon dies", boot.node.number);
    end(boot, false);
    boot.node.orphaned = boot.memory;
    boot.control.daemonDied(false);
  }

  private static void end(Boot boot, boolean unheard) {
    boot.alive = false;
    boot.node.boot = null;
    for (SimProcess process : boot.processes) {
      process.die(unheard);
      if (unheard) {
        process.vanish();
      } else {
        process.hangUp();
      }
    }
  }

  private static @Nullable SimProcess find(Boot boot, int rank, int incarnation) {
    for (SimProcess process : boot.processes) {
      if (process.rank() == rank && process.incarnation() == incarnation) {
        return process;
      }
    }
    return null;
  }

  private static long key(int rank, int incarnation) {
    return ((long) rank << 32) | incarnation;
  }

  private String describe() {
    StringBuilder text = new StringBuilder("failures injected: ");
    text.append(faults.describe());
    for (SimProcess process : serving.values()) {
      text.append("\n  ").append(process);
    }
    for (Exit exit : exits.subList(Math.max(0, exits.size() - KEPT_EXITS), exits.size())) {
      text.append("\n  ").append(exit);
      Throwable cause = exit.cause;
      if (cause != null) {
        for (StackTraceElement element : cause.getStackTrace()) {
          text.append("\n      at ").append(element);
        }
      }
    }
    return text.toString();
  }
}
