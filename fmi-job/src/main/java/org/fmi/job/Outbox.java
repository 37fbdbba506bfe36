package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.control.ToDaemon;
import org.jspecify.annotations.Nullable;

/** The commands that follow from one event, and the wording of notices about placements. */
final class Outbox {
  private final Placement placement;
  private final List<JobCommand> commands = new ArrayList<>();

  Outbox(Placement placement) {
    this.placement = placement;
  }

  void add(JobCommand command) {
    commands.add(command);
  }

  /** Has the process of a rank killed. */
  void kill(Ranks.Rank rank) {
    int r = rank.number();
    toNodeOf(r, new ToDaemon.KillRank(r, rank.incarnation()));
  }

  /** Sends a message to a process of a rank. */
  void send(int rank, int incarnation, JobMessage message) {
    toNodeOf(rank, new ToDaemon.Forward(rank, incarnation, message));
  }

  /** Sends a message to all running ranks. */
  void sendToAll(JobMessage message) {
    add(new JobCommand.ToAllNodes(new ToDaemon.ForwardAll(message)));
  }

  private void toNodeOf(int rank, ToDaemon message) {
    add(new JobCommand.ToNode(placement.nodeOf(rank), message));
  }

  /** Returns and removes the collected commands, in order. */
  List<JobCommand> take() {
    List<JobCommand> all = List.copyOf(commands);
    commands.clear();
    return all;
  }

  void report(Notice notice) {
    add(new JobCommand.Report(notice));
  }

  /** Reports a new process of a rank on its node. */
  void reportSpawned(int epoch, int rank, int incarnation) {
    int node = placement.nodeOf(rank);
    String name = placement.name(node);
    report(
        incarnation == 0
            ? new Notice.Spawned(rank, node, name)
            : new Notice.Respawned(epoch, rank, node, name, incarnation));
  }

  /**
   * Corrects the reported cause of a rank's failure.
   *
   * @param cause how its process ended; null if that is nothing new
   */
  void reportCause(int rank, int epoch, @Nullable String cause) {
    if (cause != null) {
      report(new Notice.CauseKnown(epoch, rank, cause));
    }
  }

  /** Kills a node that was declared dead, and counts its memory as lost. */
  void fence(int epoch, int node, String reason) {
    report(new Notice.NodeFailed(epoch, node, placement.name(node), "fmirun", reason));
    add(new JobCommand.KillNode(node, reason));
  }

  /** Has another daemon take over the memory of a node whose daemon is lost. */
  void restart(int epoch, int node, String reason) {
    String how = reason + "; its daemon is started again, and takes over its memory";
    report(new Notice.NodeFailed(epoch, node, placement.name(node), "fmirun", how));
    add(new JobCommand.RestartDaemon(node));
  }

  /** Reports files that ranks have read to continue from. */
  void restored(RankMessage.FilesRead read, long repeated) {
    report(
        new Notice.Level2Restored(
            read.epoch(),
            read.generation(),
            read.loop(),
            read.iteration(),
            read.ranks(),
            repeated));
    add(new JobCommand.Restored(read.generation(), read.loop(), read.iteration()));
  }

  /** Reports a new epoch. */
  void recovering(int epoch, String reason) {
    report(new Notice.RecoveryBegun(epoch, false, reason));
    add(new JobCommand.Recovering());
  }

  void committed(Notice.CheckpointCommitted m) {
    report(m);
    add(
        new JobCommand.Committed(
            m.loop(), m.iteration(), m.copyNanos() + m.encodeNanos() + m.commitNanos()));
  }

  /** Reports the stack trace of a rank's program, once it is known. */
  void reportThrown(int epoch, int rank, RankMessage.Failed failed) {
    if (!failed.trace().isEmpty()) {
      report(new Notice.Thrown(epoch, rank, failed.loop(), failed.iteration(), failed.trace()));
    }
  }

  void degraded(String what) {
    report(new Notice.Degraded(what));
  }

  private String nodeOf(int rank) {
    return placement.name(placement.nodeOf(rank));
  }

  /** Reports each rank whose checkpoints no other rank protects. */
  void reportUnprotected(int ranks) {
    for (int r = 0; r < ranks; r++) {
      if (placement.group(r).length == 1) {
        degraded(
            "rank "
                + r
                + " has no partner on another node: the job will not survive the loss of "
                + nodeOf(r)
                + "; place the same number of ranks on each node");
      }
    }
  }

  /** Reports a rank on the same node as another member of its group, if it is. */
  void reportPartner(int rank) {
    int partner = placement.partnerOf(rank);
    if (partner >= 0) {
      degraded(
          "ranks "
              + Math.min(partner, rank)
              + " and "
              + Math.max(partner, rank)
              + " protect each other's checkpoints but are now both on "
              + nodeOf(rank)
              + ": the job will not survive the loss of that node");
    }
  }

  /** Reports a rank that starts on another node because its own could not be launched. */
  void reportReplanned(int rank, int from) {
    degraded("rank " + rank + " starts on " + nodeOf(rank) + " instead of " + placement.name(from));
  }

  /** Reports a rank on a node without a slot for it. */
  void reportShared(int rank) {
    degraded(
        "no spare node is left: rank " + rank + " shares " + nodeOf(rank) + " with other ranks");
  }

  /**
   * Reports a live node that is about to be lost.
   *
   * @param moves whether ranks can leave it
   */
  void reportLeaving(int node, String reason, boolean moves) {
    degraded(
        placement.name(node)
            + " is about to be lost: "
            + reason
            + (placement.load(node) == 0
                ? "; it gets no ranks while there is another node"
                : moves
                    ? "; its ranks move after the next checkpoint"
                    : "; its ranks stay until they end or are lost with it, because lost ranks are"
                        + " not replaced"));
  }

  /** Reports a node that is not about to be lost any more. */
  void reportUsedAgain(int node, String reason) {
    degraded(placement.name(node) + " takes ranks again: " + reason);
  }

  /** Reports a rank that has returned to the node with its checkpoints. */
  void reportReturned(int rank, int from) {
    degraded(
        "rank "
            + rank
            + " returns from "
            + placement.name(from)
            + " to "
            + nodeOf(rank)
            + ", which still has its checkpoints: its group can no longer rebuild them elsewhere");
  }

  /**
   * Reports ranks of such a node that find no other node.
   *
   * @param rebuilt whether their checkpoints could be rebuilt on another node
   */
  void reportStays(int node, boolean rebuilt) {
    degraded(
        "the ranks of "
            + placement.name(node)
            + " stay there because "
            + (rebuilt
                ? "no other node has room for them: give the job a spare"
                : "it holds more members of a checkpoint group than the group can lose, so their"
                    + " checkpoints could not be rebuilt elsewhere: spread the ranks over more"
                    + " nodes"));
  }

  /**
   * Reports a rank that has left a node.
   *
   * @param hopeless how it was lost repeatedly there, if it left for that; else empty
   */
  void reportMoved(int rank, int from, String hopeless) {
    if (hopeless.isEmpty()) {
      degraded("rank " + rank + " moves from " + placement.name(from) + " to " + nodeOf(rank));
      return;
    }
    degraded(
        "rank "
            + rank
            + " was lost repeatedly on "
            + placement.name(from)
            + hopeless
            + ": it now starts on "
            + nodeOf(rank));
  }

  /** Reports a request for more nodes. */
  void reportRequested(int nodes) {
    degraded(
        "no spare node is left: requested "
            + (nodes == 1 ? "1 node" : nodes + " nodes")
            + " from Slurm; ranks wait for "
            + (nodes == 1 ? "it" : "them"));
  }

  void reportRefused(String reason) {
    degraded("no more nodes: " + reason);
  }

  void reportWaiting() {
    degraded("no spare node is left: waiting for a lost node to return");
  }
}
