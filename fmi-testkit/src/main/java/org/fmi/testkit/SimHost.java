package org.fmi.testkit;

import org.fmi.control.JobMessage;
import org.fmi.spi.NodeMemory;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.SimNode.Boot;

/** A life of a simulated node, as seen by its daemon. */
public final class SimHost {
  private final SimCluster cluster;
  private final Boot boot;

  SimHost(SimCluster cluster, Boot boot) {
    this.cluster = cluster;
    this.boot = boot;
  }

  /** The node's number. */
  public int node() {
    return boot.node.number;
  }

  /** The node's clock. */
  public long nanoTime() {
    return boot.clockOffset + cluster.simulation().nanoTime();
  }

  /** Time for which ranks may run after fmirun was last heard. */
  public long leaseNanos() {
    return SimCluster.HEARTBEAT_TIMEOUT_MILLIS * 1_000_000L;
  }

  /** Time after which the daemon gives up fmirun, once its ranks are stopped. */
  public long graceNanos() {
    return SimCluster.GRACE_MILLIS * 1_000_000L;
  }

  /** SIGSTOP of a process by its daemon. */
  public void stop(SimProcess process) {
    process.stop();
  }

  /** SIGCONT of a process by its daemon. */
  public void resume(SimProcess process) {
    process.resumeStopped();
  }

  /** Whether no process can be started now. */
  public boolean failsToStart() {
    boolean fails = cluster.simulation().nanoTime() < boot.failsToStartUntil;
    if (fails) {
      cluster.observer().onStartFailed();
    }
    return fails;
  }

  /**
   * The start time of the next process; asked once for each.
   *
   * @return {@link Long#MAX_VALUE} if it never does
   */
  public long startDelay() {
    long extra = boot.startDelay;
    boot.startDelay = 0;
    if (extra > 0) {
      cluster.observer().onStartHangs(extra);
    }
    long delay = cluster.model().processStart().draw(cluster.simulation().random());
    return extra == Long.MAX_VALUE ? extra : delay + extra;
  }

  /** Starts a process that runs a program as a rank. */
  public SimProcess run(RankConfig config, SimProgram program) {
    return cluster.run(boot, config, program);
  }

  /**
   * SIGKILL of a process.
   *
   * @return whether it was dead already
   */
  public boolean kill(SimProcess process) {
    boolean dead = process.gone();
    cluster.crash(process);
    return dead;
  }

  /** Deletes the checkpoints of a rank. */
  public void forget(int rank) {
    boot.memory.list(NodeMemory.prefix(rank)).forEach(boot.memory::delete);
  }

  /** Sends a message of the job to a process. */
  public void send(SimProcess process, JobMessage message) {
    process.link().deliver(message);
  }

  /** Runs an action at fmirun, in order with all other reports. */
  public void report(String what, long subject, Runnable atFmirun) {
    boot.control.report(what, subject, s -> atFmirun.run());
  }

  /** Runs an action later, after a pause of the daemon, and not after its end. */
  public void after(long nanos, String what, long subject, Runnable action) {
    cluster.simulation().after(nanos, what, subject, () -> cluster.atDaemon(boot, action));
  }

  /** Whether data passes between this node and another one, in both directions, now. */
  public boolean reaches(int node) {
    Boot other = cluster.boot(node);
    return other != null && !cluster.network().severed(boot, other);
  }

  /** The delay of a message within the node. */
  public long delay() {
    return cluster.controlDelay();
  }

  /** fmirun gives the node up, as its daemon asked. Called by fmirun. */
  public void giveUp(String reason) {
    boot.control.lose(reason);
  }

  /** Ends the daemon, all that it has started, and the node's memory. */
  public void end() {
    cluster.die(boot, false);
  }
}
