package org.fmi.testkit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A simulated host: comes up, runs processes, dies, and may come up again with nothing left. */
final class SimNode {
  final int number;

  /** Its current life; null while it is down. */
  @Nullable Boot boot;

  /** No earlier than this can it be started again; {@link Long#MAX_VALUE} for never. */
  long repairedAt;

  /** Whether its daemon never comes up, and whether that is only seen by its silence. */
  boolean launchFails;

  boolean launchHangs;

  SimNode(int number) {
    this.number = number;
  }

  /** One life of a node. */
  static final class Boot {
    final SimNode node;
    final SimNodeMemory memory;
    final long clockOffset;
    final List<SimProcess> processes = new ArrayList<>();

    boolean alive = true;

    /** Cut off from everything. */
    boolean isolated;

    /** A failure of the node itself has hit it, so that nothing in its memory counts any more. */
    boolean struck;

    /** After which time it can be started again, once its daemon has ended. */
    long repairNanos;

    /** How many of the processes that are started next cannot be. */
    int failingStarts;

    /** How much longer the next start of a process takes. */
    long startDelay;

    /** How long the next process that is given a rank stands still before its main. */
    long mainDelay;

    /** The connection of its daemon with fmirun. */
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
