package org.fmi.job;

import org.fmi.job.control.FromDaemon;

/** What happens to a job. */
public sealed interface JobEvent {
  /**
   * The daemon of a node is connected and ready.
   *
   * @param memoryFree free bytes where the node keeps checkpoints
   */
  record NodeUp(int node, long memoryFree) implements JobEvent {}

  /**
   * The daemon of a node is gone, or silent for too long, or could not be started. All that ran
   * there counts as lost.
   */
  record NodeLost(int node, String reason) implements JobEvent {}

  /**
   * The daemon of a node is connected, and the node cannot run the program: it lacks a file of it,
   * or has another one than fmirun. The node counts as lost.
   *
   * @param reason for the user, with what would help
   */
  record NodeUnfit(int node, String reason) implements JobEvent {}

  /**
   * A node lives, and will be lost before long: whoever runs it wants it back.
   *
   * @param reason for the user
   */
  record NodeLeaving(int node, String reason) implements JobEvent {}

  /**
   * A user gives the job one more node, or one that was lost and is repaired: then only its name
   * counts.
   */
  record NodeAdded(JobSpec.Node node) implements JobEvent {}

  /** The answer to a {@link JobCommand.RequestNode}: the job has this node until it loses it. */
  record NodeGranted(JobSpec.Node node) implements JobEvent {}

  /**
   * The other answer: it gets none.
   *
   * @param reason for the user
   */
  record NodeRefused(String reason) implements JobEvent {}

  /** The daemon of a node has sent this, of a rank that the job has. */
  record FromNode(int node, FromDaemon.OfRank message) implements JobEvent {}

  /**
   * A user asks for a checkpoint.
   *
   * @param files whether it is to be one that is written to files
   */
  record CheckpointAsked(long asker, boolean files) implements JobEvent {}

  /** That user does not want it any more. */
  record CheckpointWithdrawn(long asker) implements JobEvent {}

  /** The answer to {@link JobCommand.Continue}: there is time for more. */
  record Continued() implements JobEvent {}

  /** The user wants it to end. */
  record Interrupted(int signal) implements JobEvent {}
}
