package org.fmi.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.fmi.control.JobMessage;
import org.fmi.spi.CheckpointInterval;
import org.fmi.spi.Fault;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.FaultPlan.Step;
import org.fmi.testkit.SimNode.Boot;
import org.jspecify.annotations.Nullable;

/**
 * Simulated nodes with their daemons and processes.
 *
 * <p><i>Commands</i> ({@link #launch}, {@link #spawn}, {@link #kill}, {@link #fence}, {@link
 * #tell}) are those of a job: they travel to the node, in order, and have no effect on a node that
 * is down or cut off. <i>Faults</i> ({@link #crash} and so on) happen at once. Called by whoever
 * runs in the simulation, or before it runs.
 */
public final class SimCluster {
  private static final int HEARTBEAT_TIMEOUT_MILLIS = 500;

  /** How many exits a failure's report shows. */
  private static final int KEPT_EXITS = 8;

  private static final int SIGKILLED = 128 + 9;

  private final Simulation simulation;
  private final SimModel model;
  private final long memoryPerNode;
  private final SimNode[] nodes;
  private final SimNetwork network;
  private final SimDetectors detectors;
  private final Map<Long, Boot> placed = new HashMap<>();
  private final TreeMap<Integer, SimProcess> serving = new TreeMap<>();
  private final List<Exit> exits = new ArrayList<>();
  private @Nullable Supervisor supervisor;

  private FaultPlan plan = FaultPlan.none();
  private int nextFault;
  private long lastFaultNanos;
  private long sinceGap;
  private long primitives;

  /**
   * A cluster, all of whose nodes are down.
   *
   * @param nodes how many nodes
   * @param memoryPerNode bytes of node memory
   */
  public SimCluster(Simulation simulation, SimModel model, int nodes, long memoryPerNode) {
    this.simulation = simulation;
    this.model = model;
    this.memoryPerNode = memoryPerNode;
    this.nodes = new SimNode[nodes];
    Arrays.setAll(this.nodes, SimNode::new);
    this.network = new SimNetwork(this);
    this.detectors = new SimDetectors(this);
    simulation.onFailure(this::describe);
  }

  /** How a process ended by itself. */
  public record Exit(int rank, int incarnation, int status, @Nullable Throwable cause) {}

  /** Names who hears of what happens. */
  public void supervise(Supervisor by) {
    supervisor = by;
  }

  /** Injects these failures from now on. */
  public void inject(FaultPlan faults) {
    plan = faults;
    nextFault = 0;
    sinceGap = 0;
    lastFaultNanos = simulation.nanoTime();
  }

  public Simulation simulation() {
    return simulation;
  }

  public SimModel model() {
    return model;
  }

  /** Failures of the plan that were injected. */
  public int injected() {
    return nextFault;
  }

  /** Primitives executed by all ranks so far. */
  public long primitives() {
    return primitives;
  }

  /** The processes that ended by themselves, not killed. */
  public List<Exit> exits() {
    return List.copyOf(exits);
  }

  /** The process that was started last for a rank. */
  public @Nullable SimProcess process(int rank) {
    return serving.get(rank);
  }

  /** The memory of a node; null while it is down. */
  public @Nullable SimNodeMemory memory(int node) {
    Boot boot = nodes[node].boot;
    return boot == null ? null : boot.memory;
  }

  /** What a process of this cluster is told, with values that suit a simulation. */
  public RankConfig config(
      int node,
      int rank,
      int size,
      int incarnation,
      int[] group,
      int ranksOnNode,
      int logRingBase,
      long recordLimitBytes,
      CheckpointInterval interval,
      List<Fault> faults) {
    return new RankConfig(
        "sim-" + simulation.seed(),
        new byte[32],
        rank,
        size,
        incarnation,
        "node" + node,
        node,
        "/node" + node,
        ranksOnNode,
        ranksOnNode,
        2,
        group,
        logRingBase,
        HEARTBEAT_TIMEOUT_MILLIS,
        recordLimitBytes,
        interval,
        List.of(),
        faults);
  }

  // Commands

  /** Starts a node's daemon, again and again until it is up, unless it never can be. */
  public void launch(int node) {
    simulation.after(
        model.nodeStart().draw(simulation.random()), "launch", node, () -> boot(nodes[node]));
  }

  private void boot(SimNode node) {
    if ((node.boot != null && !node.boot.isolated) || node.repairedAt == Long.MAX_VALUE) {
      return;
    }
    if (node.boot != null || node.repairedAt > simulation.nanoTime()) {
      launch(node.number);
      return;
    }
    Boot boot =
        new Boot(
            node,
            new SimNodeMemory(memoryPerNode),
            simulation.random().nextLong(1L << 40),
            simulation);
    node.boot = boot;
    report(boot, "node up", node.number, s -> s.onNodeUp(node.number));
  }

  /** Starts a process for a rank on the node its configuration names. */
  public void spawn(RankConfig config, SimProgram program) {
    Boot boot = nodes[config.node()].boot;
    if (boot != null) {
      placed.put(key(config.rank(), config.incarnation()), boot);
      command(
          boot,
          "spawn",
          config.rank(),
          () -> {
            SimProcess process = new SimProcess(this, boot, config, program);
            boot.processes.add(process);
            serving.put(config.rank(), process);
            process.start(model.processStart().draw(simulation.random()));
          });
    }
  }

  /** Kills a process (SIGKILL); its exit is reported. */
  public void kill(int rank, int incarnation) {
    Boot boot = placed.get(key(rank, incarnation));
    if (boot != null) {
      command(
          boot,
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

  /** Kills a node's daemon and processes and deletes its memory; its loss is reported. */
  public void fence(int node) {
    Boot boot = nodes[node].boot;
    if (boot != null) {
      command(boot, "fence", node, () -> die(boot, false, "killed", 0));
    }
  }

  /** Sends a message to a process. */
  public void tell(int rank, int incarnation, JobMessage message) {
    Boot boot = placed.get(key(rank, incarnation));
    if (boot != null) {
      command(
          boot,
          "tell",
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
  public void tellAll(JobMessage message) {
    for (SimNode node : nodes) {
      Boot boot = node.boot;
      if (boot != null) {
        command(
            boot,
            "tell all",
            node.number,
            () -> boot.processes.forEach(process -> process.link().deliver(message)));
      }
    }
  }

  private void command(Boot boot, String what, long subject, Runnable action) {
    simulation.after(
        boot.down.delay(controlDelay()),
        what,
        subject,
        () -> {
          if (boot.alive && !boot.isolated) {
            action.run();
          }
        });
  }

  // Faults

  /** SIGKILL of the process that serves a rank, if there is one. */
  public void crash(int rank) {
    SimProcess process = serving.get(rank);
    if (process != null && process.alive()) {
      crash(process);
    }
  }

  private void crash(SimProcess process) {
    if (process.alive()) {
      end(process, SIGKILLED, true);
    }
  }

  /** A node dies and its connections break. It can be started again after {@code repairNanos}. */
  public void crashNode(int node, long repairNanos) {
    Boot boot = nodes[node].boot;
    if (boot != null) {
      die(boot, false, "connection to the daemon lost", repairNanos);
    }
  }

  /** A node dies in silence. It can be started again after {@code repairNanos}. */
  public void powerOff(int node, long repairNanos) {
    Boot boot = nodes[node].boot;
    if (boot != null) {
      die(boot, true, "daemon silent", repairNanos);
    }
  }

  /** Cuts a node off from all others and the job; its daemon kills its ranks some time later. */
  public void isolate(int node, long repairNanos) {
    Boot boot = nodes[node].boot;
    if (boot == null || boot.isolated) {
      return;
    }
    boot.isolated = true;
    boot.lastReport = simulation.nanoTime();
    reportLoss(boot, true, "daemon silent");
    detectors.cut();
    simulation.after(
        heartbeatTimeout(), "fences itself", node, () -> die(boot, true, "", repairNanos));
  }

  /** SIGSTOP of a rank's process, and SIGCONT after {@code nanos}. */
  public void freeze(int rank, long nanos) {
    SimProcess process = serving.get(rank);
    if (process == null || !process.alive() || process.frozen()) {
      return;
    }
    process.freeze();
    int freeze = process.freezes();
    detectors.froze(process);
    simulation.after(nanos, "thaw", rank, process::thaw);
    simulation.after(
        heartbeatTimeout(),
        "silent",
        rank,
        () -> {
          if (process.frozen() && process.freezes() == freeze) {
            report(
                process.boot(),
                "rank silent",
                rank,
                s -> s.onRankSilent(rank, process.incarnation()));
          }
        });
  }

  /** Two nodes cannot hear each other for {@code nanos}. */
  public void partition(int a, int b, long nanos) {
    if (a != b) {
      network.cut(a, b);
      detectors.cut();
      simulation.after(nanos, "heal", a, () -> network.heal(a, b));
    }
  }

  /** The data connection between two ranks breaks, if there is one. */
  public void breakConnection(int rank, int other) {
    SimProcess process = serving.get(rank);
    if (process != null && rank != other) {
      process.breakConnection(other);
    }
  }

  /** The detector of rank {@code by} takes {@code rank} for dead. */
  public void suspectFalsely(int by, int rank) {
    SimProcess process = serving.get(by);
    if (process != null && by != rank) {
      detectors.suspectFalsely(process, rank);
    }
  }

  /** A bit of a node's memory flips. */
  public void corruptMemory(int node) {
    Boot boot = nodes[node].boot;
    if (boot != null) {
      boot.memory.corrupt(simulation.random());
    }
  }

  // What the simulated things need

  SimNetwork network() {
    return network;
  }

  SimDetectors detectors() {
    return detectors;
  }

  long controlDelay() {
    return model.control().draw(simulation.random());
  }

  /** After how long one process takes another for silent: never quite the same. */
  long timeout(RankConfig config) {
    return config.heartbeatTimeoutMillis() * 1_000_000L + controlDelay();
  }

  private long heartbeatTimeout() {
    long timeout = HEARTBEAT_TIMEOUT_MILLIS * 1_000_000L;
    return timeout + simulation.random().nextLong(timeout / 4);
  }

  /** The daemon has something to report, in order with all else it reports. */
  void report(Boot boot, String what, long subject, Consumer<Supervisor> to) {
    if (!boot.alive || boot.isolated) {
      return;
    }
    long delay = boot.up.delay(controlDelay());
    long arrival = simulation.nanoTime() + delay;
    simulation.after(
        delay,
        what,
        subject,
        () -> {
          Supervisor by = supervisor;
          if (by != null && arrival <= boot.lastReport) {
            to.accept(by);
          }
        });
  }

  /** A process' program returned or threw. By its own thread. */
  void exited(SimProcess process, int status, @Nullable Throwable cause) {
    exits.add(new Exit(process.rank(), process.incarnation(), status, cause));
    end(process, status, false);
  }

  private void end(SimProcess process, int status, boolean signaled) {
    simulation.note("end", process.rank());
    process.die(false);
    Boot boot = process.boot();
    boot.processes.remove(process);
    long clearing = controlDelay();
    if (signaled) {
      simulation.after(
          simulation.random().nextLong(clearing + 1),
          "death",
          process.rank(),
          () ->
              report(
                  boot,
                  "death report",
                  process.rank(),
                  s -> s.onRankDying(process.rank(), process.incarnation())));
    }
    simulation.after(
        clearing,
        "exit",
        process.rank(),
        () ->
            report(
                boot,
                "exit report",
                process.rank(),
                s ->
                    s.onRankExited(
                        boot.node.number,
                        process.rank(),
                        process.incarnation(),
                        status,
                        signaled)));
  }

  private void die(Boot boot, boolean unheard, String reason, long repairNanos) {
    if (!boot.alive) {
      return;
    }
    simulation.note("node dies", boot.node.number);
    boot.alive = false;
    boot.node.boot = null;
    long now = simulation.nanoTime();
    boot.node.repairedAt = repairNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + repairNanos;
    for (SimProcess process : boot.processes) {
      process.die(unheard);
    }
    boot.memory.clear();
    if (!boot.isolated) {
      boot.lastReport = now + controlDelay();
      reportLoss(boot, unheard, reason);
    }
  }

  /** The job notices that a daemon is gone: after all it still hears from it. */
  private void reportLoss(Boot boot, boolean unheard, String reason) {
    long after = unheard ? heartbeatTimeout() : boot.lastReport - simulation.nanoTime() + 1;
    simulation.after(
        after,
        "node lost",
        boot.node.number,
        () -> {
          Supervisor by = supervisor;
          if (by != null) {
            by.onNodeLost(boot.node.number, reason);
          }
        });
  }

  /** A primitive is executed by {@code process}: is it time for a failure? */
  void atPrimitive(SimProcess process) {
    primitives++;
    if (nextFault == plan.steps().size()) {
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
    inject(step, process);
  }

  private void inject(Step step, SimProcess running) {
    SimProcess named = serving.get(step.victim());
    SimProcess victim = named != null && named.alive() ? named : running;
    int rank = victim.rank();
    int node =
        step.victim() >= 0 && step.victim() < nodes.length && nodes[step.victim()].boot != null
            ? step.victim()
            : running.node();
    switch (step.kind()) {
      case KILL_RANK -> crash(victim);
      case CRASH_NODE -> crashNode(node, step.nanos());
      case POWER_OFF -> powerOff(node, step.nanos());
      case FREEZE -> freeze(rank, step.nanos());
      case ISOLATE_NODE -> isolate(node, step.nanos());
      case PARTITION -> partition(node, step.other(), step.nanos());
      case BREAK_CONNECTION -> breakConnection(rank, step.other());
      case FALSE_SUSPICION -> suspectFalsely(step.other(), rank);
      case CORRUPT_MEMORY -> corruptMemory(node);
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
    text.append(plan.steps().subList(0, nextFault));
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
