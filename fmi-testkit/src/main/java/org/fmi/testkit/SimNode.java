package org.fmi.testkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A simulated host: comes up, runs processes, dies, and may come up again empty. */
final class SimNode {
  final int number;

  /** Its current life; null while it is down. */
  @Nullable Boot boot;

  /** Its last life, which fmirun may still count as the current one; null before the first. */
  @Nullable Boot last;

  /** Its memory while it lives without a daemon; null otherwise. */
  @Nullable SimNodeMemory orphaned;

  /** Whether it has died without a daemon: fmirun learns of it when it starts another one. */
  boolean diedOrphaned;

  /** The earliest time at which it can be started again; {@link Long#MAX_VALUE} for never. */
  long repairedAt;

  /** Whether its daemon never comes up, and whether only its silence shows that. */
  boolean launchFails;

  boolean launchHangs;

  SimNode(int number) {
    this.number = number;
  }

  /** A life of a node. */
  static final class Boot {
    final SimNode node;
    final SimNodeMemory memory;
    final long clockOffset;
    final List<SimProcess> processes = new ArrayList<>();

    boolean alive = true;

    /** Cut off from all nodes and from fmirun. */
    boolean isolated;

    /** The node itself has failed, so that the content of its memory does not count. */
    boolean struck;

    /** The time until it can be started again after the end of its daemon. */
    long repairNanos;

    /** The number of next starts that fail. */
    long failsToStartUntil;

    /** The additional delay of the next start of a process. */
    long startDelay;

    /** The time for which the next process that is given a rank waits before its main. */
    long mainDelay;

    /** Its daemon's connection to fmirun. */
    final SimControl control;

    final SimDaemon daemon;

    Boot(
        SimCluster cluster,
        SimNode node,
        SimNodeMemory memory,
        long clockOffset,
        SimDaemon.Factory daemons) {
      this.node = node;
      this.memory = memory;
      this.clockOffset = clockOffset;
      this.control = new SimControl(cluster, this);
      this.daemon = daemons.open(new SimHost(cluster, this));
    }
  }
}
