package org.fmi.control;

import org.fmi.codec.Tag;

/**
 * Something that happened, for the progress lines and the event file, whose format is the names of
 * these records and of their components. The shell adds the time.
 */
public sealed interface Notice {
  /** A notice that a rank sends: it reaches the user as it is, and nothing is decided by it. */
  sealed interface ByRank extends Notice {}

  /**
   * The job is there, and nothing of it yet.
   *
   * @param job what the system's files of it are called by
   * @param program its command line
   */
  record Submitted(String job, String program) implements Notice {}

  /**
   * The job has one more node, which is being started.
   *
   * @param slots how many ranks it takes
   */
  record NodeAdded(int node, String name, int slots) implements Notice {}

  record NodeReady(int node, String name) implements Notice {}

  record Started(int ranks, int nodes, int spares, int groupLosses) implements Notice {}

  /** A rank gets its first process. */
  record Spawned(int rank, int node, String name) implements Notice {}

  /**
   * A failure was learned of. {@code by} names who noticed: "daemon", "fmirun", "rank 3 over the
   * log-ring".
   */
  record RankFailed(int epoch, int rank, String by, String reason) implements Notice {}

  /**
   * The program's own code has thrown; {@code loop} and {@code iteration} are -1 outside of loops.
   */
  record Thrown(int epoch, int rank, long loop, long iteration, String trace) implements Notice {}

  record NodeFailed(int epoch, int node, String name, String by, String reason) implements Notice {}

  /** What {@link RankFailed} said before the process had ended is corrected: this is how it did. */
  record CauseKnown(int epoch, int rank, String reason) implements Notice {}

  /**
   * A rank heard of a failure over the log-ring.
   *
   * @param heardNanos when, by the monotonic clock of that rank's machine
   */
  record Notified(int epoch, int rank, int failed, int hops, long heardNanos) implements Notice {}

  /** A rank gives up what it has computed in an epoch; it stood in this iteration of its loop. */
  record Left(int epoch, int rank, long loop, long iteration) implements Notice {}

  /** A recovery begins. */
  record RecoveryBegun(int epoch, boolean restartAll, String reason) implements Notice {}

  record Respawned(int epoch, int rank, int node, String name, int incarnation) implements Notice {}

  /** H1: one rank has joined. */
  record Joined(int epoch, int rank) implements Notice {}

  /** H1 is done: all ranks have joined. */
  record AllJoined(int epoch) implements Notice {}

  /**
   * Who goes back is decided; reported if the user wants that only failed ranks do.
   *
   * @param ranks those that go back, as "[1, 4]"; empty if all do
   * @param flow whether all leave their calls, and then find out who computes again
   * @param reason why all do, or what those do that have not failed and go back too; may be empty
   */
  record RollbackDecided(int epoch, String ranks, boolean flow, String reason) implements Notice {
    /** Without a flow. */
    public RollbackDecided(int epoch, String ranks, String reason) {
      this(epoch, ranks, false, reason);
    }
  }

  /**
   * A rank goes on where it stands, while others go back.
   *
   * @param messages what it sends them again
   */
  @Tag(1)
  record Continued(int epoch, int rank, long loop, long iteration, long messages, long bytes)
      implements ByRank {}

  /**
   * A rank that has gone back while others went on has repeated what had been heard of it.
   *
   * @param from the iteration that it went back to
   * @param iteration the one it is in
   * @param repeated how many it has done, or begun, again
   */
  @Tag(2)
  record CaughtUp(int epoch, int rank, long loop, long from, long iteration, long repeated)
      implements ByRank {}

  /**
   * A rank needs a checkpoint because the log of what it has sent is soon full: it begins one that
   * nobody waits for, or has asked for one that all wait for.
   *
   * @param bytes what the log takes
   * @param limit what it may take
   */
  @Tag(3)
  record LogFills(int epoch, int rank, long loop, long iteration, long bytes, long limit)
      implements ByRank {}

  /**
   * A rank has sent more since a checkpoint than its log may hold; told once in a loop.
   *
   * @param since the iteration of that checkpoint
   * @param bytes what it has sent since
   * @param limit what the log may take
   * @param interval the iterations between two checkpoints, as of now; 0 if a log that fills begins
   *     one
   * @param needed what the log would take from one to the next, as far as is known
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
   * Ranks of a {@code flowLoop} compute again what was lost; the others keep what they have.
   *
   * @param from the iteration of the checkpoint that they begin with
   * @param to the one that all go on with
   * @param lost the ranks that have to come there
   * @param helpers others that load the checkpoint
   * @param computed the iterations that are computed again, of all ranks together
   * @param computedBy how many of them each of these ranks computes, as {@code [0: 1, 1: 2]}
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

  /** All ranks go back, though the user has wanted only those to compute that must. */
  @Tag(6)
  record FlowImpossible(int epoch, long loop, String reason) implements ByRank {}

  /**
   * A rank has come to the end of a loop.
   *
   * @param completed the iterations that the loop has had
   * @param repeated how many the rank has done again; of one that was lost where all went back, up
   *     to where the others were
   * @param logged how many messages of the loop its process has copied to its log
   * @param loggedBytes what they took there
   */
  @Tag(7)
  record LoopDone(
      int epoch, int rank, long loop, long completed, long repeated, long logged, long loggedBytes)
      implements ByRank {}

  /**
   * H2 is done.
   *
   * @param overlay what the log-ring runs over
   */
  record AllConnected(int epoch, String overlay) implements Notice {}

  /** H3: all ranks run. */
  record AllRunning(int epoch, long loop, long iteration, int rebuilt) implements Notice {}

  /** Ranks are stopping, one after the other, for a checkpoint that somebody has asked for. */
  record CheckpointRequested(int epoch) implements Notice {}

  /**
   * A checkpoint is complete on all ranks; as rank 0 has measured it.
   *
   * @param codedBytes how much of its image was coded: the rest was as before
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
   * All go on from what files hold: in epoch 0 the job begins so.
   *
   * @param ranks those that have read, as "[1, 4]"; empty if all
   * @param repeated iterations that are known to be computed again; -1 if that is not known
   */
  record Level2Restored(
      int epoch, String generation, long loop, long iteration, String ranks, long repeated)
      implements Notice {}

  /** A checkpoint is being written to files. */
  record Level2Begun(long version, long loop, long iteration) implements Notice {}

  /** A node has written its file. */
  record Level2Flushed(long version, int node, long bytes) implements Notice {}

  /** A checkpoint is on files, and counts. */
  record Level2Committed(long version, long loop, long iteration, long bytes) implements Notice {}

  /**
   * A checkpoint could not be written to files.
   *
   * @param leftOut how many of the next ones are not tried
   */
  record Level2Failed(long version, long iteration, String reason, int leftOut) implements Notice {}

  /**
   * The end of the job waits for a checkpoint that is being written to files.
   *
   * @param atMostMillis for how long
   */
  record Level2Awaited(long version, long iteration, long atMostMillis) implements Notice {}

  /** The job runs on with less than was asked for; says what. */
  @Tag(8)
  record Degraded(String what) implements ByRank {
    /**
     * What files hold of a version cannot be used.
     *
     * @param reason for the user, a line
     */
    public static Degraded filesRefused(String reason) {
      return new Degraded(reason + ": looks for an older generation");
    }
  }

  /**
   * The program does what it may, and has hardly meant.
   *
   * @param rank the one that has noticed
   * @param about one of the kinds below: users are warned of each once
   * @param what for the user, a line
   */
  @Tag(9)
  record Warned(int rank, String about, String what) implements ByRank {
    /** Ranks are in different iterations in one collective. */
    public static final String ITERATIONS = "iterations";

    /** Messages were never received. */
    public static final String UNRECEIVED = "unreceived";
  }

  /**
   * A failure that was to be injected was not, up to the end of the job.
   *
   * @param kill as the user wrote it
   */
  record KillMissed(String kill, String reason) implements Notice {}

  record Finished(int status, int recoveries, String message) implements Notice {}
}
