package org.fmi.control;

import org.fmi.codec.Tag;

/**
 * An event, for progress messages and the event file, whose format is the names of these records
 * and of their components. The shell adds the time.
 */
public sealed interface Notice {
  /** A notice sent by a rank. It reaches the user unchanged, and no decision depends on it. */
  sealed interface ByRank extends Notice {}

  /**
   * The job exists, and none of its nodes does yet.
   *
   * @param job the job's name in the system's files
   * @param program its command line
   */
  record Submitted(String job, String program) implements Notice {}

  /**
   * A node is being added to the job.
   *
   * @param slots the number of ranks it takes
   */
  record NodeAdded(int node, String name, int slots) implements Notice {}

  record NodeReady(int node, String name) implements Notice {}

  record Started(int ranks, int nodes, int spares, int groupLosses) implements Notice {}

  /** A rank gets its first process. */
  record Spawned(int rank, int node, String name) implements Notice {}

  /**
   * A failure was detected. {@code by} names the detector: "daemon", "fmirun", "rank 3 over the
   * overlay".
   */
  record RankFailed(int epoch, int rank, String by, String reason) implements Notice {}

  /**
   * The program's code has thrown an exception. {@code loop} and {@code iteration} are -1 outside
   * of loops.
   */
  record Thrown(int epoch, int rank, long loop, long iteration, String trace) implements Notice {}

  /**
   * The daemon of a node is not heard, so that its ranks have stopped. The node may return with all
   * that it holds.
   *
   * @param alone whether most other nodes are heard
   */
  record NodeSilent(int epoch, int node, String name, boolean alone) implements Notice {}

  /** A silent node is heard again: its ranks continue, unless they were replaced. */
  record NodeHeard(int epoch, int node, String name) implements Notice {}

  record NodeFailed(int epoch, int node, String name, String by, String reason) implements Notice {}

  /** Corrects the reason of an earlier {@link RankFailed}, now that the process has ended. */
  record CauseKnown(int epoch, int rank, String reason) implements Notice {}

  /**
   * Takes an earlier {@link RankFailed} back: the process lives, and was not killed.
   *
   * @param by the rank that reported the failure
   */
  record FalsePositive(int epoch, int rank, String by, String reason) implements Notice {}

  /**
   * A rank is lost for good, and the job continues without it.
   *
   * @param seq its place in the order of deaths, from 1 on
   * @param living the number of ranks that are left
   */
  record Died(long seq, int rank, int living, String by, String reason) implements Notice {}

  /**
   * A rank learned of a failure over the log-ring.
   *
   * @param heardNanos the time, by the monotonic clock of that rank's machine
   */
  record Notified(int epoch, int rank, int failed, int hops, long heardNanos) implements Notice {}

  /** A rank abandons its work of an epoch, in this iteration of its loop. */
  record Left(int epoch, int rank, long loop, long iteration) implements Notice {}

  /** A recovery begins. */
  record RecoveryBegun(int epoch, boolean restartAll, String reason) implements Notice {}

  record Respawned(int epoch, int rank, int node, String name, int incarnation) implements Notice {}

  /** H1: one rank has joined. */
  record Joined(int epoch, int rank) implements Notice {}

  /** H1 is done: all ranks have joined. */
  record AllJoined(int epoch) implements Notice {}

  /**
   * The ranks that roll back are chosen. Reported if the user asked for a local rollback.
   *
   * @param ranks the ranks that roll back, as "[1, 4]"; empty if all do
   * @param flow whether all ranks leave their calls, and then determine which of them compute again
   * @param reason why all ranks roll back, or why ranks roll back that have not failed; may be
   *     empty
   */
  record RollbackDecided(int epoch, String ranks, boolean flow, String reason) implements Notice {
    /** A rollback without a flow. */
    public RollbackDecided(int epoch, String ranks, String reason) {
      this(epoch, ranks, false, reason);
    }
  }

  /**
   * A rank continues where it is while other ranks roll back.
   *
   * @param messages the number of messages it resends to them
   */
  @Tag(1)
  record Continued(int epoch, int rank, long loop, long iteration, long messages, long bytes)
      implements ByRank {}

  /**
   * A rank that rolled back while other ranks continued has repeated everything that they had
   * received from it.
   *
   * @param from the iteration it rolled back to
   * @param iteration its current iteration
   * @param repeated the number of iterations that it has repeated, the current one included
   */
  @Tag(2)
  record CaughtUp(int epoch, int rank, long loop, long from, long iteration, long repeated)
      implements ByRank {}

  /**
   * A rank needs a checkpoint because its message log is nearly full. It begins an asynchronous
   * checkpoint, or has requested a blocking one.
   *
   * @param bytes the size of the log
   * @param limit the log's limit
   */
  @Tag(3)
  record LogFills(int epoch, int rank, long loop, long iteration, long bytes, long limit)
      implements ByRank {}

  /**
   * A rank has sent more since a checkpoint than its log may hold. Reported once per loop.
   *
   * @param since the iteration of that checkpoint
   * @param bytes the bytes that it has sent since
   * @param limit the log's limit
   * @param interval the current number of iterations between two checkpoints; 0 if a log that fills
   *     up begins one
   * @param needed the estimated size of the log from one checkpoint to the next
   */
  @Tag(4)
  record LogFull(
      int epoch,
      int rank,
      long loop,
      long iteration,
      long since,
      long bytes,
      long limit,
      long interval,
      long needed)
      implements ByRank {}

  /**
   * Ranks of a {@code flowLoop} recompute the lost data. The other ranks keep their state.
   *
   * @param from the iteration of the checkpoint that they start from
   * @param to the iteration with which all ranks continue
   * @param lost the ranks that have lost their state
   * @param helpers other ranks that load the checkpoint
   * @param computed the number of iterations to compute again, summed over all ranks
   * @param computedBy the number per rank, as {@code [0: 1, 1: 2]}
   */
  @Tag(5)
  record FlowBegun(
      int epoch,
      long loop,
      long from,
      long to,
      String lost,
      String helpers,
      long computed,
      String computedBy)
      implements ByRank {}

  /** All ranks roll back, although the user asked for a flow rollback. */
  @Tag(6)
  record FlowImpossible(int epoch, long loop, String reason) implements ByRank {}

  /**
   * A rank has reached the end of a loop.
   *
   * @param completed the number of iterations of the loop
   * @param repeated the number of iterations that the rank has repeated; for a lost rank in a
   *     global rollback, up to the point that the other ranks had reached
   * @param logged the number of the loop's messages that its process has copied to its log
   * @param loggedBytes their size in the log
   */
  @Tag(7)
  record LoopDone(
      int epoch, int rank, long loop, long completed, long repeated, long logged, long loggedBytes)
      implements ByRank {}

  /**
   * H2 is done.
   *
   * @param overlay the log-ring's medium
   */
  record AllConnected(int epoch, String overlay) implements Notice {}

  /** H3: all ranks run. */
  record AllRunning(int epoch, long loop, long iteration, int rebuilt) implements Notice {}

  /** Ranks stop one after another for a requested checkpoint. */
  record CheckpointRequested(int epoch) implements Notice {}

  /**
   * A checkpoint is complete on all ranks, with the times measured by rank 0.
   *
   * @param codedBytes the bytes of its image whose code was computed; the rest had not changed
   */
  record CheckpointCommitted(
      int epoch,
      long version,
      long loop,
      long iteration,
      long bytes,
      long codedBytes,
      long copyNanos,
      long encodeNanos,
      long commitNanos)
      implements Notice {}

  /**
   * All ranks skip a checkpoint, as one of them has no room for it.
   *
   * @param rank the lowest such rank
   * @param node its node
   * @param name the name of that node's host
   * @param inARow the number of checkpoints skipped since the last one taken, this one included
   * @param lastLoop the loop of the last checkpoint taken, which stays; -1 if there is none
   * @param lastIteration the iteration of that one
   * @param reason how much is needed and free, and what would help
   */
  record CheckpointSkipped(
      int epoch,
      int rank,
      int node,
      String name,
      long loop,
      long iteration,
      long inARow,
      long lastLoop,
      long lastIteration,
      String reason)
      implements Notice {
    /** Returns the answer to a user who requested the checkpoint. */
    public String answer() {
      return "the checkpoint of iteration %d of loop %d was skipped, because rank %d has no room for it on node%d (%s): %s"
          .formatted(iteration, loop, rank, node, name, reason);
    }
  }

  /**
   * All ranks continue from a checkpoint in files. In epoch 0, the job starts from it.
   *
   * @param ranks the ranks that have read files, as "[1, 4]"; empty if all have
   * @param repeated the number of iterations to compute again; -1 if unknown
   */
  record Level2Restored(
      int epoch, String generation, long loop, long iteration, String ranks, long repeated)
      implements Notice {}

  /** A checkpoint is being written to files. */
  record Level2Begun(long version, long loop, long iteration) implements Notice {}

  /** A node has written its file. */
  record Level2Flushed(long version, int node, long bytes) implements Notice {}

  /** A checkpoint is committed on files. */
  record Level2Committed(long version, long loop, long iteration, long bytes) implements Notice {}

  /**
   * A checkpoint could not be written to files.
   *
   * @param leftOut the number of following checkpoints that are skipped
   */
  record Level2Failed(long version, long iteration, String reason, int leftOut) implements Notice {}

  /**
   * The end of the job waits for a checkpoint that is being written to files.
   *
   * @param atMostMillis the time limit
   */
  record Level2Awaited(long version, long iteration, long atMostMillis) implements Notice {}

  /** The job runs with less than was asked for. */
  @Tag(8)
  record Degraded(String what) implements ByRank {
    /**
     * A version in files cannot be used.
     *
     * @param reason a message for the user
     */
    public static Degraded filesRefused(String reason) {
      return new Degraded(reason + ": trying an older generation");
    }
  }

  /**
   * The program does something legal that is probably a mistake.
   *
   * @param rank the rank that has noticed
   * @param about one of the kinds below; the user gets one warning per kind
   * @param what a message for the user
   */
  @Tag(9)
  record Warned(int rank, String about, String what) implements ByRank {
    /** Ranks are in different iterations in one collective. */
    public static final String ITERATIONS = "iterations";

    /** Messages were never received. */
    public static final String UNRECEIVED = "unreceived";
  }

  /**
   * An injected failure had not happened by the end of the job.
   *
   * @param kill as the user wrote it
   */
  record KillMissed(String kill, String reason) implements Notice {}

  record Finished(int status, int recoveries, String message) implements Notice {}

  /**
   * The program continues in a job with fewer ranks, whose events follow; their epochs count from 0
   * again.
   *
   * @param ranks the number of its ranks
   * @param nodes the number of its nodes
   * @param lost the number of ranks without a place, by which it has fewer
   * @param loop the loop of the checkpoint from which it continues; -1 if it begins anew
   * @param from where that checkpoint is, for the user; empty if it begins anew
   */
  record Shrunk(int ranks, int nodes, int lost, long loop, long iteration, String from)
      implements Notice {}
}
