package org.fmi.job;

import java.util.List;
import org.fmi.job.control.FromDaemon;

/** An event of a job. */
public sealed interface JobEvent {
  /**
   * The daemon of a node is connected and ready.
   *
   * @param memoryFree free bytes where the node keeps checkpoints
   */
  record NodeUp(int node, long memoryFree) implements JobEvent {}

  /**
   * The daemon of a node is gone, silent beyond the grace, or could not be started. Everything that
   * ran there counts as lost.
   *
   * @param general whether the daemon could not be started for a reason that holds for every node
   */
  record NodeLost(int node, String reason, boolean general) implements JobEvent {
    /** The loss of a node by itself. */
    public NodeLost(int node, String reason) {
      this(node, reason, false);
    }
  }

  /**
   * The daemon of a node that was up has ended, and all processes that it had started; or one that
   * {@link JobCommand.RestartDaemon} started has not come up. As far as known, the host lives, with
   * the node's memory.
   */
  record DaemonLost(int node, String reason) implements JobEvent {}

  /**
   * The daemon of a node is connected, but the node cannot run the program: it lacks a file of it,
   * or has a different one from fmirun's. The node counts as lost.
   *
   * @param reason for the user, with a remedy
   */
  record NodeUnfit(int node, String reason) implements JobEvent {}

  /**
   * The daemon of a node that is up has not been heard for so long that its ranks have stopped, but
   * it may return with all that it holds. {@link NodeHeard} or {@link NodeLost} follows.
   *
   * @param alone whether most other nodes are heard: otherwise fmirun's own network is to blame
   */
  record NodeSilent(int node, boolean alone) implements JobEvent {}

  /** A silent node is heard again. Its ranks continue after the commands that follow from this. */
  record NodeHeard(int node) implements JobEvent {}

  /**
   * A live node is about to be lost: its owner wants it back.
   *
   * @param reason for the user
   * @param soon whether that is a matter of seconds
   */
  record NodeLeaving(int node, String reason, boolean soon) implements JobEvent {
    /** A node that is about to be lost at some time. */
    public NodeLeaving(int node, String reason) {
      this(node, reason, false);
    }
  }

  /**
   * A node is not about to be lost any more.
   *
   * @param reason for the user
   */
  record NodeStays(int node, String reason) implements JobEvent {}

  /**
   * A user adds a node to the job, or a lost node that was repaired; of the latter only the name
   * counts.
   */
  record NodeAdded(JobSpec.Node node) implements JobEvent {}

  /** The answer to a {@link JobCommand.RequestNode}: the job has this node until it loses it. */
  record NodeGranted(JobSpec.Node node) implements JobEvent {}

  /**
   * The other answer: the job gets no node.
   *
   * @param reason for the user
   */
  record NodeRefused(String reason) implements JobEvent {}

  /**
   * The answer of a daemon to {@link JobCommand.Examine}.
   *
   * @param unreached the nodes that it cannot reach
   */
  record Examined(int node, int round, List<Integer> unreached) implements JobEvent {
    public Examined {
      unreached = List.copyOf(unreached);
    }
  }

  /** The answer to {@link JobCommand.AwaitExamination}. */
  record ExaminationOver(int round) implements JobEvent {}

  /** A message of a node's daemon about a rank of the job. */
  record FromNode(int node, FromDaemon.OfRank message) implements JobEvent {}

  /**
   * A user requests a checkpoint.
   *
   * @param files whether it must be written to files
   */
  record CheckpointAsked(long asker, boolean files) implements JobEvent {}

  /** The user has withdrawn the request. */
  record CheckpointWithdrawn(long asker) implements JobEvent {}

  /** A user wants the process of a rank to be replaced. */
  record RankKicked(int rank) implements JobEvent {}

  /** The answer to {@link JobCommand.Continue}: there is time for more work. */
  record Continued() implements JobEvent {}

  /** The user wants the job to end. */
  record Interrupted(int signal) implements JobEvent {}
}
