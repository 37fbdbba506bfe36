package org.fmi.testkit;

import java.lang.foreign.MemorySegment;
import org.fmi.control.JobMessage;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/** Hears what really happens to a simulated cluster, as nobody in it can. */
public interface SimObserver {
  /**
   * The memory of a node is gone.
   *
   * @param struck whether the node itself had failed; if not, what it held was thrown away intact
   */
  default void onMemoryLost(int node, boolean struck) {}

  /**
   * Whether a bit of a piece of a node's memory may flip now: only what is protected by a checksum,
   * and was not checked already by who is about to read it, can be told from what was written.
   */
  default boolean mayFlip(int node, MemorySegment piece) {
    return true;
  }

  /** A bit of a node's memory has flipped. */
  default void onCorrupted(int node) {}

  /** A node's memory had no room for a piece. */
  default void onNoRoom(int node) {}

  /** A use of the node's memory by a rank's process failed. */
  default void onMemoryError(int rank) {}

  /** A process is told something by the job. */
  default void onTold(SimProcess process, JobMessage message) {}

  /** A process tells the job something. */
  default void onSaid(SimProcess process, RankMessage message) {}

  /** A process keeps images of a checkpoint, which may be written to files. */
  default void onOffered(SimProcess process, Pinned pinned) {}

  /** The system of its node kills a process for what it does there each time. */
  default void onKilledAgain(int rank) {}

  /**
   * A program is in an iteration of its first loop.
   *
   * @param computed a hash of what it computes and sends in it
   */
  default void onIteration(SimProcess process, long iteration, long computed) {}

  /**
   * Somebody without the job's secret has asked a process for a connection.
   *
   * @param got what it got beyond a closed one; null for nothing
   */
  default void onStranger(SimProcess process, @Nullable String got) {}

  /** A failure of the plan is injected; its victim is there. */
  default void onFault(FaultPlan.Step step) {}
}
