package org.fmi.run.timeline;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The events of a job, arranged for a picture. Times are microseconds since the first event.
 *
 * @param job its name; empty if unknown
 * @param program its command line; empty if unknown
 * @param begunMillis the time of the first event, in milliseconds since 1970
 * @param end the time of the last event
 * @param ranks its number of ranks
 * @param ending how it ended; null if the file does not contain that
 * @param cut whether the file ended in the middle of a line
 * @param recoveries in order; the first one is the start, unless the job never got that far
 * @param others failures without a recovery: none was needed, or the job ended
 */
record Timeline(
    String job,
    String program,
    long begunMillis,
    long end,
    int ranks,
    @Nullable Ending ending,
    boolean cut,
    List<Node> nodes,
    List<Stay> stays,
    List<Recovery> recoveries,
    List<Failure> others,
    List<Checkpoint> checkpoints,
    List<FileWrite> fileWrites,
    List<Remark> remarks) {

  /** Stands for a time that is not, or not yet, known. */
  static final long NEVER = -1;

  /** The end of a job. */
  record Ending(int status, int recoveries, String message) {}

  /**
   * A node, from the connection of its daemon to its loss.
   *
   * @param to {@link #NEVER} if it was not lost
   */
  record Node(int node, String name, long from, long to) {}

  /**
   * A process of a rank on a node.
   *
   * @param to when its loss was noticed or it was replaced; {@link #NEVER} if it lived to the end
   */
  record Stay(int rank, int node, int incarnation, long from, long to) {}

  /**
   * A failure.
   *
   * @param rank the rank; -1 if a node failed
   * @param node the node; -1 if a rank failed
   * @param reason the reported reason
   * @param cause the cause that became known later; null if there was none
   */
  record Failure(
      long at, int rank, int node, String name, String by, String reason, @Nullable String cause) {
    Failure withCause(String known) {
      return new Failure(at, rank, node, name, by, reason, known);
    }
  }

  /**
   * A checkpoint that all ranks have committed; the last three are durations.
   *
   * @param coded bytes that had changed and were encoded
   */
  record Checkpoint(
      long at,
      int epoch,
      long version,
      long loop,
      long iteration,
      long bytes,
      long coded,
      long copy,
      long encode,
      long commit) {
    long begun() {
      return at - copy - encode - commit;
    }
  }

  /**
   * A checkpoint on its way to files.
   *
   * @param to when it was published or abandoned; {@link #NEVER} if neither is known
   * @param bytes of all files; 0 unless it is published
   * @param failed whether it was abandoned
   */
  record FileWrite(
      long from, long to, long version, long loop, long iteration, long bytes, boolean failed) {}

  /** A notice for the user. */
  record Remark(long at, String text) {}

  /** A rank that stopped computing, in this iteration. */
  record Stop(int rank, long at, long loop, long iteration) {}

  /** A rank that was notified of a failure over the overlay. */
  record Notice(int rank, long at, int hops) {}

  /** A new process of a rank. */
  record Spawn(int rank, long at, int node) {}

  /** A rank that has joined (H1). */
  record Join(int rank, long at) {}

  /**
   * An attempt, in one epoch, to get all ranks running.
   *
   * @param reason its reason; empty at the start
   * @param restartAll when all processes were restarted; {@link #NEVER} if they were not
   * @param overlay the transport of the log-ring
   */
  record Attempt(
      int epoch,
      long begun,
      String reason,
      long restartAll,
      long allJoined,
      long allConnected,
      String overlay,
      List<Notice> notified,
      List<Stop> stopped,
      List<Spawn> spawned,
      List<Join> joined) {}

  /**
   * A rank that rolled back while other ranks continued.
   *
   * @param since start of the computation that it lost
   * @param from the iteration to which it rolled back; -1 if unknown
   * @param caughtUp when it had repeated everything its peers had received; {@link #NEVER} if
   *     unknown
   * @param repeated how many iterations it repeated; -1 if unknown
   */
  record Back(int rank, long since, long from, long caughtUp, long repeated) {}

  /**
   * A rank that continued from its current iteration.
   *
   * @param messages the number of messages it resent
   */
  record Onward(int rank, long loop, long iteration, long messages, long bytes) {}

  /**
   * The recomputation along a data flow.
   *
   * @param helpers ranks that computed for the ranks that rolled back, as "[0, 3]"
   * @param computed iterations, of all ranks together
   */
  record Flow(long from, long to, String helpers, long computed) {}

  /**
   * The ranks that rolled back, if not all did.
   *
   * @param why why ranks rolled back that had not failed; may be empty
   * @param flow null if messages were resent instead
   */
  record Scope(String why, List<Back> back, List<Onward> onward, @Nullable Flow flow) {
    boolean has(int rank) {
      return back.stream().anyMatch(b -> b.rank() == rank);
    }
  }

  /**
   * A recovery, from the failure to the moment when all ranks run again; or the start of the job.
   *
   * @param noticed time of the first failure
   * @param running when all ranks ran; {@link #NEVER} if they did not
   * @param iteration the iteration of this loop from which they continued; -1 for the start of the
   *     program
   * @param scope the ranks that rolled back; null if all did
   * @param whyAll why all rolled back although the user allows fewer; otherwise empty
   * @param computedSince start of the computation that was lost
   * @param lostWork the lost computing time, as a mean of all ranks
   * @param lostIterations the iterations lost by the ranks that rolled back; -1 if unknown
   */
  record Recovery(
      long noticed,
      List<Failure> failures,
      List<Attempt> attempts,
      long running,
      long loop,
      long iteration,
      int rebuilt,
      @Nullable Scope scope,
      String whyAll,
      long computedSince,
      long lostWork,
      long lostIterations) {
    /** Returns the time without any computation. */
    long duration(long end) {
      return (running == NEVER ? end : running) - noticed;
    }

    /** Returns this recovery with a later report of a rank added. */
    Recovery with(Back report) {
      Scope old = Objects.requireNonNull(scope);
      List<Back> back =
          old.back().stream().map(b -> b.rank() == report.rank() ? report : b).toList();
      long repeated = back.stream().mapToLong(Back::repeated).max().orElse(-1);
      return new Recovery(
          noticed,
          failures,
          attempts,
          running,
          loop,
          iteration,
          rebuilt,
          new Scope(old.why(), back, old.onward(), old.flow()),
          whyAll,
          computedSince,
          lostWork,
          repeated);
    }
  }

  /** Returns the number of recoveries. */
  int recoveryCount() {
    return (int) recoveries.stream().filter(Timeline::isRecovery).count();
  }

  static boolean isRecovery(Recovery recovery) {
    return recovery.attempts().stream().anyMatch(attempt -> !attempt.reason().isEmpty());
  }

  /** Returns the time without any computation because of failures. */
  long recovering() {
    return recoveries.stream()
        .filter(Timeline::isRecovery)
        .mapToLong(recovery -> recovery.duration(end))
        .sum();
  }

  /** Returns the time of lost computation, as a mean of all ranks. */
  long lostWork() {
    return recoveries.stream().mapToLong(Recovery::lostWork).sum();
  }

  /** Returns the time of checkpoints. */
  long checkpointing() {
    return checkpoints.stream().mapToLong(c -> c.at() - c.begun()).sum();
  }
}
