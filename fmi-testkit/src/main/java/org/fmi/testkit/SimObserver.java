package org.fmi.testkit;

import java.lang.foreign.MemorySegment;
import org.fmi.control.JobMessage;
import org.fmi.control.Pinned;
import org.fmi.control.RankMessage;
import org.jspecify.annotations.Nullable;

/** Observes the actual events of a simulated cluster, as no component of it can. */
public interface SimObserver {
  /**
   * The memory of a node is gone.
   *
   * @param struck whether the node itself failed; otherwise intact memory was thrown away
   */
  default void onMemoryLost(int node, boolean struck) {}

  /**
   * Whether a bit of a piece of a node's memory may flip now. A flip is detectable only in memory
   * that is protected by a checksum, and that its next reader has not already checked.
   */
  default boolean mayFlip(int node, MemorySegment piece) {
    return true;
  }

  /** A bit of a node's memory has flipped. */
  default void onCorrupted(int node) {}

  /** A living rank is to be accused: its data connection breaks, or another suspects it. */
  default void onAccused() {}

  /** The system has refused to start a process. */
  default void onStartFailed() {}

  /** A process hangs in its start, for {@code nanos}; {@link Long#MAX_VALUE}: without end. */
  default void onStartHangs(long nanos) {}

  /** A process has received a message of the job. */
  default void onReceived(SimProcess process, JobMessage message) {}

  /** A process has sent a message to the job. */
  default void onSent(SimProcess process, RankMessage message) {}

  /** A process holds images of a checkpoint, which may be written to files. */
  default void onOffered(SimProcess process, Pinned pinned) {}

  /** The system of its node kills a process at the same iteration each time. */
  default void onKilledAgain(int rank) {}

  /**
   * A program is at an iteration of its first loop.
   *
   * @param computed a hash of the data that it computes and sends in the iteration
   */
  default void onIteration(SimProcess process, long iteration, long computed) {}

  /**
   * A stranger without the job's secret has asked a process for a connection.
   *
   * @param got what it got beyond a closed connection; null for nothing
   */
  default void onStranger(SimProcess process, @Nullable String got) {}

  /** A failure of the plan is injected; its victim is up. */
  default void onFault(FaultPlan.Step step) {}
}
