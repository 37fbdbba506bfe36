package org.fmi.job;

import java.util.List;
import org.fmi.control.Notice;
import org.fmi.control.RankMessage;
import org.fmi.job.control.Assignment;
import org.fmi.job.control.FromDaemon;
import org.fmi.job.control.ToDaemon;

/**
 * A command of the decision maker. The shell executes commands in order and reports results as
 * {@link JobEvent}s.
 */
public sealed interface JobCommand {

  /** Send this message to the daemon of a node. */
  record ToNode(int node, ToDaemon message) implements JobCommand {}

  /** Send this message to the daemons of all nodes. */
  record ToAllNodes(ToDaemon message) implements JobCommand {}

  /** Start a process on a node; the shell chooses its cores. */
  record Spawn(int node, Assignment assignment) implements JobCommand {
    public int rank() {
      return assignment.rank();
    }

    public int incarnation() {
      return assignment.incarnation();
    }
  }

  /**
   * Fence a node: kill its daemon and all its ranks by every possible means, and delete its memory.
   * Reported as lost, if it was up.
   */
  record KillNode(int node, String reason) implements JobCommand {
    /** The reason if the failure was injected: the whole node is to be lost. */
    public static final String INJECTED = "injected failure";
  }

  /** Kill only the daemon of a node, for tests. */
  record KillDaemon(int node) implements JobCommand {}

  /**
   * Have the daemon of a node try to reach the daemons of other nodes, within half of the
   * heartbeat's timeout: answered by {@link JobEvent.Examined}, unless the daemon is silent.
   *
   * @param others numbers of nodes, perhaps its own among them
   */
  record Examine(int node, int round, List<Integer> others) implements JobCommand {}

  /** Send {@link JobEvent.ExaminationOver} after so many tenths of the heartbeat's timeout. */
  record AwaitExamination(int round, int tenths) implements JobCommand {}

  /** The job has one more node, with the next number. */
  record AddNode(int node, String name, int slots) implements JobCommand {}

  /** A node that a user added is up. */
  record Added(String name) implements JobCommand {}

  /** A node that a user added cannot be used. */
  record NotAdded(String name, String reason) implements JobCommand {}

  /** Start the daemon of a node, repeatedly until it is up. */
  record Launch(int node) implements JobCommand {}

  /**
   * Start another daemon on a node whose daemon is lost. It ends what the dead one has left running
   * and takes over the node's checkpoints. Answered by {@link JobEvent.NodeUp}, or {@link
   * JobEvent.DaemonLost}.
   */
  record RestartDaemon(int node) implements JobCommand {}

  /**
   * Request one more node from the owner of the nodes. Answered once, soon, by {@link
   * JobEvent.NodeGranted} or {@link JobEvent.NodeRefused}, unless it is withdrawn.
   *
   * @param slots the number of ranks it must take
   */
  record RequestNode(int slots) implements JobCommand {}

  /** No requested node that was not granted yet is needed any more. */
  record WithdrawRequests() implements JobCommand {}

  /**
   * More work follows from past events: send {@link JobEvent.Continued}, once, after all events
   * that have arrived by then.
   */
  record Continue() implements JobCommand {}

  /** A notice for the user. */
  record Report(Notice notice) implements JobCommand {}

  /**
   * A checkpoint is committed in memory; determines how often one is written to files.
   *
   * @param nanos its cost
   */
  record Committed(long loop, long iteration, long nanos) implements JobCommand {}

  /** A recovery has begun: nothing is to be measured until the next checkpoint. */
  record Recovering() implements JobCommand {}

  /**
   * All ranks continue from a checkpoint in files, which is the origin of those written from now
   * on.
   */
  record Restored(String generation, long loop, long iteration) implements JobCommand {}

  /** A checkpoint that a user requested is committed. */
  record Checkpointed(long asker, long version, long loop, long iteration) implements JobCommand {}

  /** No checkpoint will be taken for a user who requested one. */
  record NotCheckpointed(long asker, String reason) implements JobCommand {}

  /**
   * End this job, and continue the program in another one with fewer ranks, on the nodes that are
   * left, from the checkpoints in their memory. The last command.
   *
   * @param lost the number of ranks that have no place any more
   */
  record Shrink(JobSpec next, int lost) implements JobCommand {}

  /**
   * End the job.
   *
   * @param message what happened, for the user; empty if all went well
   */
  record End(int status, EndCause cause, String message) implements JobCommand {
    /** The exit status of a job that could not continue. */
    public static final int FAILED = 70;

    /** The exit status of a program that fails without a status of its own. */
    public static final int PROGRAM_FAULT = 1;

    /** The exit status for wrong usage. */
    public static final int USAGE = 64;

    static End failed(EndCause cause, String message) {
      return new End(FAILED, cause, message);
    }

    /** Returns the end for a node that cannot be used while no other node is left for its ranks. */
    static End notBegun(EndCause cause, String node, String reason) {
      return new End(
          cause == EndCause.UNFIT_NODE ? USAGE : FAILED,
          cause,
          "cannot start on " + node + ": " + reason);
    }

    /** Returns the end for a job whose checkpoints are lost for good. */
    public static End lost(String message) {
      return failed(EndCause.CHECKPOINTS_LOST, message);
    }

    static End aborted(int rank, int status) {
      return new End(status, EndCause.ABORTED, "rank " + rank + " called abort(" + status + ")");
    }

    static End interrupted(int signal) {
      return new End(128 + signal, EndCause.INTERRUPTED, "ended by signal " + signal);
    }

    /** Returns the end for a job that a rank found unrecoverable. */
    static End unrecoverable(RankMessage.Unrecoverable m) {
      return failed(
          m.checkpointsLost() ? EndCause.CHECKPOINTS_LOST : EndCause.UNRECOVERABLE, m.reason());
    }

    static End programFault(String message) {
      return new End(PROGRAM_FAULT, EndCause.PROGRAM_FAILED, message);
    }

    /** Returns the end for a rank's program that fails by itself and would fail again. */
    static End programFault(FromDaemon.RankExited exit, EndCause cause, String how) {
      return new End(
          exit.status() == 0 ? PROGRAM_FAULT : exit.status(),
          cause,
          "rank " + exit.rank() + " " + how);
    }

    /**
     * Returns the end for a rank that ended without {@code Fmi.init} while another rank has called
     * it.
     */
    static End notAllJoined(int gone, int waiting) {
      return failed(
          EndCause.NOT_ALL_JOINED,
          "rank "
              + gone
              + " ended without Fmi.init, but rank "
              + waiting
              + " waits for it: all ranks must call Fmi.init");
    }
  }
}
