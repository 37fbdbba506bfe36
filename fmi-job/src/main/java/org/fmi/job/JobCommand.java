package org.fmi.job;

import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;

/**
 * What is to be done. The shell carries commands out in order and reports how it went as {@link
 * JobEvent}s.
 */
public sealed interface JobCommand {

  /** Send this to the daemon of a node. */
  record ToNode(int node, ToDaemon message) implements JobCommand {}

  /** Send this to the daemons of all nodes. */
  record ToAllNodes(ToDaemon message) implements JobCommand {}

  /** Start a process on a node; which of its cores it gets is left to the shell. */
  record Spawn(int node, Assignment assignment) implements JobCommand {
    public int rank() {
      return assignment.rank();
    }

    public int incarnation() {
      return assignment.incarnation();
    }
  }

  /**
   * Fence a node: kill its daemon and all its ranks by every means there is, and delete its memory.
   * Reported as lost, if it was up.
   */
  record KillNode(int node, String reason) implements JobCommand {}

  /** Kill only the daemon of a node, for tests. */
  record KillDaemon(int node) implements JobCommand {}

  /** The job has one more node, which has the next number. */
  record AddNode(int node, String name, int slots) implements JobCommand {}

  /** A node is up that a user has added. */
  record Added(String name) implements JobCommand {}

  /** A node that a user has added cannot be used. */
  record NotAdded(String name, String reason) implements JobCommand {}

  /** Start the daemon of a node, again and again until it is up. */
  record Launch(int node) implements JobCommand {}

  /**
   * Ask whoever runs the nodes for one more. Answered once, before long, by {@link
   * JobEvent.NodeGranted} or {@link JobEvent.NodeRefused}, unless it is withdrawn.
   *
   * @param slots for how many ranks
   */
  record RequestNode(int slots) implements JobCommand {}

  /** No node is needed any more of those asked for that were not granted yet. */
  record WithdrawRequests() implements JobCommand {}

  /**
   * More follows from what has happened: say {@link JobEvent.Continued}, once, behind whatever else
   * has come by then.
   */
  record Continue() implements JobCommand {}

  /** Something the user may want to know. */
  record Report(Notice notice) implements JobCommand {}

  /**
   * A checkpoint is committed in memory: how often one is written to files follows from that.
   *
   * @param nanos what it has cost
   */
  record Committed(long loop, long iteration, long nanos) implements JobCommand {}

  /** A recovery has begun: until the next checkpoint nothing is to be measured. */
  record Recovering() implements JobCommand {}

  /** All go on from a checkpoint on files, which those written from now on descend from. */
  record Restored(String generation, long loop, long iteration) implements JobCommand {}

  /** A checkpoint is committed that a user has asked for. */
  record Checkpointed(long asker, long version, long loop, long iteration) implements JobCommand {}

  /** No checkpoint will be taken for a user who has asked. */
  record NotCheckpointed(long asker, String reason) implements JobCommand {}

  /**
   * End everything.
   *
   * @param message what happened, for the user; empty if all went well
   */
  record End(int status, EndCause cause, String message) implements JobCommand {
    /** The exit status of a job that could not go on. */
    public static final int FAILED = 70;

    /** The exit status of a program that fails, if it gives none of its own. */
    public static final int PROGRAM_FAULT = 1;

    /** The exit status where the user has given what cannot work. */
    public static final int USAGE = 64;

    static End failed(EndCause cause, String message) {
      return new End(FAILED, cause, message);
    }

    /** A node was not to be used, and no other one was left for its ranks. */
    static End notBegun(EndCause cause, String node, String reason) {
      return new End(
          cause == EndCause.UNFIT_NODE ? USAGE : FAILED,
          cause,
          "cannot start on " + node + ": " + reason);
    }

    static End aborted(int rank, int status) {
      return new End(status, EndCause.ABORTED, "rank " + rank + " called abort(" + status + ")");
    }

    static End interrupted(int signal) {
      return new End(128 + signal, EndCause.INTERRUPTED, "ended by signal " + signal);
    }

    /** A rank found that the job cannot be recovered. */
    static End unrecoverable(RankMessage.Unrecoverable m) {
      return failed(
          m.checkpointsLost() ? EndCause.CHECKPOINTS_LOST : EndCause.UNRECOVERABLE, m.reason());
    }

    static End programFault(String message) {
      return new End(PROGRAM_FAULT, EndCause.PROGRAM_FAILED, message);
    }

    /** A rank's program has failed by itself, and would again. */
    static End programFault(FromDaemon.RankExited exit, EndCause cause, String how) {
      return new End(
          exit.status() == 0 ? PROGRAM_FAULT : exit.status(),
          cause,
          "rank " + exit.rank() + " " + how);
    }

    /** A rank has ended without {@code Fmi.init}, and another one has called it. */
    static End notAllJoined(int gone, int waiting) {
      return failed(
          EndCause.NOT_ALL_JOINED,
          "rank "
              + gone
              + " ended without Fmi.init, but rank "
              + waiting
              + " waits for it: all ranks must call it");
    }
  }
}
