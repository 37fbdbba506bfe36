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

  SimNode(int number) {
    this.number = number;
  }

  /** One life of a node. */
  static final class Boot {
    final SimNode node;
    final SimNodeMemory memory;
    final long clockOffset;
    final List<SimProcess> processes = new ArrayList<>();

    /** From the daemon to the job, and back. */
    final Lane up;

    final Lane down;

    /** Reports that would arrive later than this are lost. */
    long lastReport = Long.MAX_VALUE;

    boolean alive = true;

    /** Cut off from everything. */
    boolean isolated;

    Boot(SimNode node, SimNodeMemory memory, long clockOffset, Simulation simulation) {
      this.node = node;
      this.memory = memory;
      this.clockOffset = clockOffset;
      this.up = new Lane(simulation);
      this.down = new Lane(simulation);
    }
  }
}
