package org.fmi.testkit;

import org.fmi.control.RankMessage;

/**
 * The listener to reports from nodes: stands for {@code fmirun}. Called as events of the
 * simulation; answers with the commands of {@link SimCluster}. Reports are ignored unless their
 * method is overridden.
 */
public interface Supervisor {
  /** The daemon of a node is ready. */
  default void onNodeUp(int node) {}

  /**
   * The daemon of a node is silent, and may return.
   *
   * @param alone whether most other nodes are heard
   */
  default void onNodeSilent(int node, boolean alone) {}

  /** A silent node is heard again. */
  default void onNodeHeard(int node) {}

  /** The daemon of a node is gone, or was silent beyond the grace. */
  default void onNodeLost(int node, String reason) {}

  /** The daemon of a node has ended, and its host lives. */
  default void onDaemonLost(int node, String reason) {
    onNodeLost(node, reason);
  }

  /** The owner of a node wants it back. */
  default void onDrain(int node) {}

  /** The owner of a node does not want it back any more. */
  default void onDrainOver(int node) {}

  /** A user adds a node. */
  default void onAddition() {}

  /** A process has sent a message. */
  default void onRankMessage(int rank, int incarnation, RankMessage message) {}

  /**
   * A process has ended.
   *
   * @param status exit status, or 128 + signal
   */
  default void onRankExited(int node, int rank, int incarnation, int status, boolean signaled) {}

  /** A process was killed; the report of its end follows. */
  default void onRankDying(int rank, int incarnation) {}

  /** A process lives but was silent for too long. */
  default void onRankSilent(int rank, int incarnation) {}
}
