package org.fmi.job;

import java.util.ArrayList;
import java.util.List;
import org.fmi.control.JobMessage;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.control.ToDaemon;
import org.jspecify.annotations.Nullable;

/** Collects what is decided on one event, and words the notices of placements. */
final class Outbox {
  private final Placement placement;
  private final List<JobCommand> commands = new ArrayList<>();

  Outbox(Placement placement) {
    this.placement = placement;
  }

  void add(JobCommand command) {
    commands.add(command);
  }

  /** The process of a rank is to be killed. */
  void kill(Ranks.Rank rank) {
    int r = rank.number();
    toNodeOf(r, new ToDaemon.KillRank(r, rank.incarnation()));
  }

  /** A process of a rank gets a message. */
  void tell(int rank, int incarnation, JobMessage message) {
    toNodeOf(rank, new ToDaemon.Tell(rank, incarnation, message));
  }

  /** All ranks that run now get a message. */
  void tellAll(JobMessage message) {
    add(new JobCommand.ToAllNodes(new ToDaemon.TellAll(message)));
  }

  private void toNodeOf(int rank, ToDaemon message) {
    add(new JobCommand.ToNode(placement.nodeOf(rank), message));
  }

  /** All that was collected, in order; from now on there is nothing. */
  List<JobCommand> take() {
    List<JobCommand> all = List.copyOf(commands);
    commands.clear();
    return all;
  }

  void report(Notice notice) {
    add(new JobCommand.Report(notice));
  }

  /** A rank gets a process on its node. */
  void reportSpawned(int epoch, int rank, int incarnation) {
    int node = placement.nodeOf(rank);
    String name = placement.name(node);
    report(
        incarnation == 0
            ? new Notice.Spawned(rank, node, name)
            : new Notice.Respawned(epoch, rank, node, name, incarnation));
  }

  /**
   * Corrects what was reported of a rank's failure.
   *
   * @param cause how its process ended; null if that is nothing new
   */
  void reportCause(int rank, int epoch, @Nullable String cause) {
    if (cause != null) {
      report(new Notice.CauseKnown(epoch, rank, cause));
    }
  }

  /** Whoever was declared dead is made dead, and its memory counts as lost. */
  void fence(int epoch, int node, String reason) {
    report(new Notice.NodeFailed(epoch, node, placement.name(node), "fmirun", reason));
    add(new JobCommand.KillNode(node, reason));
  }

  /** Ranks have read what they go on from. */
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

  /** An epoch begins. */
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

  /** Shows the stack trace of a rank's program, once it is known. */
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

  /** Tells of each rank whose checkpoints nobody protects. */
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

  /** Tells of a rank that is on the same node as another one of its group, if it is. */
  void reportPartner(int rank) {
    int partner = placement.partnerOf(rank);
    if (partner >= 0) {
      degraded(
          "ranks "
              + Math.min(partner, rank)
              + " and "
              + Math.max(partner, rank)
              + " protect each other's checkpoints and are both on "
              + nodeOf(rank)
              + " now: the job will not survive its loss");
    }
  }

  /** A rank starts on another node than the one that could not be launched. */
  void reportReplanned(int rank, int from) {
    degraded("rank " + rank + " starts on " + nodeOf(rank) + " instead of " + placement.name(from));
  }

  /** A rank is on a node that has no slot for it. */
  void reportShared(int rank) {
    degraded("no spare node is left: rank " + rank + " shares " + nodeOf(rank) + " with others");
  }

  /** A node lives, and will be lost. */
  void reportLeaving(int node, String reason) {
    degraded(
        placement.name(node)
            + " is about to be lost: "
            + reason
            + (placement.load(node) == 0
                ? "; it takes no ranks"
                : "; its ranks move after the next checkpoint"));
  }

  /**
   * The ranks of such a node find no other one.
   *
   * @param rebuilt whether their checkpoints could be brought back on another one
   */
  void reportStays(int node, boolean rebuilt) {
    degraded(
        "the ranks of "
            + placement.name(node)
            + " stay there, as "
            + (rebuilt
                ? "no other node has room for them: give the job a spare"
                : "more members of a group are on it than the group can lose, and their checkpoints"
                    + " could not be brought back elsewhere: a job with ranks on more nodes could"
                    + " leave it"));
  }

  /**
   * A rank has left a node.
   *
   * @param hopeless whether it did as it did not get to run there
   */
  void reportMoved(int rank, int from, boolean hopeless) {
    if (!hopeless) {
      degraded("rank " + rank + " moves from " + placement.name(from) + " to " + nodeOf(rank));
      return;
    }
    degraded(
        "rank "
            + rank
            + " was lost again and again on "
            + placement.name(from)
            + " before all ranks ran: it starts on "
            + nodeOf(rank)
            + " now");
  }

  /** More nodes are asked for. */
  void reportRequested(int nodes) {
    degraded(
        "no spare node is left: ranks wait for "
            + (nodes == 1 ? "another one, which is" : nodes + " others, which are")
            + " asked for");
  }

  void reportRefused(String reason) {
    degraded("no more nodes: " + reason);
  }

  void reportWaiting() {
    degraded("no spare node is left: waiting until a lost one comes back");
  }
}
