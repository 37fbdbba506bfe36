package org.fmi.run.timeline;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What happened in a job, as a picture needs it. Times are microseconds since its first event.
 *
 * @param job its name; empty if unknown
 * @param program its command line; empty if unknown
 * @param begunMillis the time of the first event, in milliseconds since 1970
 * @param end the time of the last event
 * @param ranks how many ranks it has
 * @param ending how it ended; null if the file does not tell
 * @param cut whether the file ended in the middle of a line
 * @param recoveries in order; the first one is the start, unless the job never got that far
 * @param others failures that nobody recovered from: there was no need to, or the job ended
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

  /** Stands for a time that was not, or is not yet. */
  static final long NEVER = -1;

  /** How a job ended. */
  record Ending(int status, int recoveries, String message) {}

  /**
   * A node, from when its daemon was there to when it was lost.
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
   * @param reason what was reported first
   * @param cause what was known later; null if nothing more was
   */
  record Failure(
      long at, int rank, int node, String name, String by, String reason, @Nullable String cause) {
    Failure withCause(String known) {
      return new Failure(at, rank, node, name, by, reason, known);
    }
  }

  /**
   * A checkpoint that all have committed; the last three are durations.
   *
   * @param coded bytes whose code was computed, as they were changed
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
   * @param to when it counted, or was given up; {@link #NEVER} if neither is known
   * @param bytes of all files; 0 unless it counts
   * @param failed whether it was given up
   */
  record FileWrite(
      long from, long to, long version, long loop, long iteration, long bytes, boolean failed) {}

  /** A line for the user. */
  record Remark(long at, String text) {}

  /** A rank stopped computing, in this iteration. */
  record Stop(int rank, long at, long loop, long iteration) {}

  /** A rank heard of a failure over the log-ring. */
  record Notice(int rank, long at, int hops) {}

  /** A rank got a new process. */
  record Spawn(int rank, long at, int node) {}

  /** A rank had joined, H1. */
  record Join(int rank, long at) {}

  /**
   * A try to bring all ranks to run, in one epoch.
   *
   * @param reason why; empty at the start
   * @param restartAll when all processes were started again; {@link #NEVER} if they were not
   * @param overlay what the log-ring runs over
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
   * A rank that went back while others kept what they had.
   *
   * @param since since when it had computed what was lost
   * @param from the iteration that it went back to; -1 if unknown
   * @param caughtUp when it had done again what others had heard of; {@link #NEVER} if unknown
   * @param repeated how many iterations it did again; -1 if unknown
   */
  record Back(int rank, long since, long from, long caughtUp, long repeated) {}

  /**
   * A rank that went on where it stood.
   *
   * @param messages what it sent again to those that went back
   */
  record Onward(int rank, long loop, long iteration, long messages, long bytes) {}

  /**
   * What was computed again along a data flow.
   *
   * @param helpers ranks that computed for those that went back, as "[0, 3]"
   * @param computed iterations, of all ranks together
   */
  record Flow(long from, long to, String helpers, long computed) {}

  /**
   * Who went back, where that were not all ranks.
   *
   * @param why ranks went back that had not failed; may be empty
   * @param flow null if messages were sent again instead
   */
  record Scope(String why, List<Back> back, List<Onward> onward, @Nullable Flow flow) {
    boolean has(int rank) {
      return back.stream().anyMatch(b -> b.rank() == rank);
    }
  }

  /**
   * A recovery, from the failure to the moment when all ranks run again; or the start of the job.
   *
   * @param noticed when the first failure was
   * @param running when all ranks ran; {@link #NEVER} if they did not
   * @param iteration from which one of this loop they went on; -1 for the start of the program
   * @param scope who went back; null if all did
   * @param whyAll why all did, where the user wants fewer to; else empty
   * @param computedSince since when they had computed what was lost
   * @param lostWork how long they had computed that, as a mean of all ranks
   * @param lostIterations how many iterations were lost by those that went back; -1 if unknown
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
    /** How long nobody computed. */
    long duration(long end) {
      return (running == NEVER ? end : running) - noticed;
    }

    /** The same with what a rank has told later. */
    Recovery with(Back told) {
      Scope old = Objects.requireNonNull(scope);
      List<Back> back = old.back().stream().map(b -> b.rank() == told.rank() ? told : b).toList();
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

  /** How many recoveries there were. */
  int recoveryCount() {
    return (int) recoveries.stream().filter(Timeline::isRecovery).count();
  }

  static boolean isRecovery(Recovery recovery) {
    return recovery.attempts().stream().anyMatch(attempt -> !attempt.reason().isEmpty());
  }

  /** The time that nobody computed in because of failures. */
  long recovering() {
    return recoveries.stream()
        .filter(Timeline::isRecovery)
        .mapToLong(recovery -> recovery.duration(end))
        .sum();
  }

  /** The time in which what was computed was lost, as a mean of all ranks. */
  long lostWork() {
    return recoveries.stream().mapToLong(Recovery::lostWork).sum();
  }

  /** The time that checkpoints took. */
  long checkpointing() {
    return checkpoints.stream().mapToLong(c -> c.at() - c.begun()).sum();
  }
}
