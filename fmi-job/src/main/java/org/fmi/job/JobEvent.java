package org.fmi.job;

import org.fmi.control.RankMessage;

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

  /**
   * A rank's process has ended.
   *
   * @param status exit status, or 128 + signal
   * @param signaled whether a signal ended it
   */
  record RankExited(int node, int rank, int incarnation, int status, boolean signaled)
      implements JobEvent {

    /** How it ended, as a part of a sentence that begins with the rank. */
    String how() {
      if (signaled) {
        return "was killed by signal " + (status - 128);
      }
      return status == 0
          ? "ended with status 0 without Fmi.close, as by System.exit"
          : "ended by itself with status " + status;
    }
  }

  /** A rank has said something. */
  record FromRank(int rank, int incarnation, RankMessage message) implements JobEvent {}

  /** A rank's process lives but was silent for too long. */
  record RankSilent(int rank, int incarnation) implements JobEvent {}

  /** A rank's process was killed; its exit follows. */
  record RankDying(int rank, int incarnation) implements JobEvent {}

  /**
   * When a rank's process was to be killed it was dying already: its exit, which follows, tells why
   * it failed, and not that it was killed.
   */
  record RankWasDying(int rank, int incarnation) implements JobEvent {}

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
