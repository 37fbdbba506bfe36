package org.fmi.testkit;

import org.fmi.control.JobMessage;
import org.fmi.spi.RankConfig;
import org.fmi.testkit.SimNode.Boot;

/** One life of a simulated node, as its daemon uses it. */
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

  /** Whether the next process cannot be started; asked once for each. */
  public boolean failsToStart() {
    boolean fails = boot.failingStarts > 0;
    boot.failingStarts -= fails ? 1 : 0;
    return fails;
  }

  /**
   * How long the next process takes to come up; asked once for each.
   *
   * @return {@link Long#MAX_VALUE} if it never does
   */
  public long startDelay() {
    long extra = boot.startDelay;
    boot.startDelay = 0;
    long delay = cluster.model().processStart().draw(cluster.simulation().random());
    return extra == Long.MAX_VALUE ? extra : delay + extra;
  }

  /** Lets a process run a program as a rank. */
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

  /** Sends a message of the job to a process. */
  public void tell(SimProcess process, JobMessage message) {
    process.link().deliver(message);
  }

  /** Lets something happen at fmirun, in order with all else that is reported. */
  public void report(String what, long subject, Runnable atFmirun) {
    boot.control.report(what, subject, s -> atFmirun.run());
  }

  /** Does something later, when the daemon does not stand still, and not after its end. */
  public void after(long nanos, String what, long subject, Runnable action) {
    cluster.simulation().after(nanos, what, subject, () -> cluster.atDaemon(boot, action));
  }

  /** How long a message takes within the node. */
  public long delay() {
    return cluster.controlDelay();
  }

  /** fmirun gives the node up, as its daemon has asked it to. By fmirun. */
  public void giveUp(String reason) {
    boot.control.lose(reason);
  }

  /** The daemon ends, and with it all that it has started, and the node's memory. */
  public void end() {
    cluster.die(boot, false);
  }
}
