package org.fmi.run.shell;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.fmi.job.JobCommand;
import org.fmi.job.JobEvent;
import org.fmi.run.status.Answer;
import org.jspecify.annotations.Nullable;

/**
 * Handles users' requests for a checkpoint, in files if the job writes any, and reports the
 * results; ends the job afterwards if requested. Belongs to the loop's thread.
 */
final class CheckpointDesk {
  private final Consumer<JobEvent> job;
  private final FlushDesk flushes;

  /** Null if the job writes nothing to files. */
  private final @Nullable Level2Files files;

  private final Stop stop;

  /** The generation of another job from which this one has started; null if from scratch. */
  private JobCommand.@Nullable Restored began;

  /** Ends the job. */
  interface Stop {
    /**
     * @param status of fmirun
     */
    void stop(int status, String message);
  }

  /**
   * A waiting request.
   *
   * @param stops whether the job ends afterwards
   */
  private record Asker(Answer answer, boolean stops) {}

  /** Requests by the number that the decision maker knows. */
  private final Map<Long, Asker> open = new TreeMap<>();

  /** Requests that wait for the end of the job. */
  private final List<Answer> awaiting = new ArrayList<>();

  private long next;

  /** Whether requests wait because the program has not yet come as far as in an earlier job. */
  private boolean holds;

  /**
   * @param job receives requests
   * @param files null if the job does not use files
   * @param stop ends the job
   */
  CheckpointDesk(
      Consumer<JobEvent> job, FlushDesk flushes, @Nullable Level2Files files, Stop stop) {
    this.job = job;
    this.flushes = flushes;
    this.files = files != null && files.options().every() > 0 ? files : null;
    this.stop = stop;
  }

  /** Whether the job can stop where another one can continue. */
  boolean canStop() {
    return files != null;
  }

  /**
   * Takes a request.
   *
   * @param stops whether the job ends when the checkpoint is in files
   */
  void ask(Answer answer, boolean stops) {
    if (stops && files == null) {
      answer.refuse(
          "this job writes no checkpoints to files to restart from: start it with --l2-dir DIR"
              + " --l2-every K; 'fmi stop' without --at-checkpoint ends it");
      return;
    }
    long asker = next++;
    open.put(asker, new Asker(answer, stops));
    answer.part(new byte[0]); // acknowledges the request
    answer.whenGone(() -> withdraw(asker));
    if (!holds) {
      make(asker);
    }
  }

  private void make(long asker) {
    job.accept(new JobEvent.CheckpointAsked(asker, files != null));
  }

  /** Lets requests wait until the program has come as far as in the job that this one follows. */
  void hold() {
    holds = true;
  }

  /** Makes the requests that wait. */
  void proceed() {
    holds = false;
    List.copyOf(open.keySet()).forEach(this::make);
  }

  private void withdraw(long asker) {
    if (open.remove(asker) != null) {
      job.accept(new JobEvent.CheckpointWithdrawn(asker));
    }
  }

  /** Notes that all ranks continue from files. */
  void restored(JobCommand.Restored from) {
    Level2Files known = files;
    if (known != null && began == null && known.origin(from.generation()) != null) {
      began = from;
    }
    flushes.restored(from);
  }

  /** Returns a summary of checkpoints in files. */
  List<String> summary() {
    return flushes.summary();
  }

  /** Notes that a requested checkpoint is committed in memory. */
  void taken(JobCommand.Checkpointed c) {
    String what =
        "checkpoint %d (iteration %d of loop %d)".formatted(c.version(), c.iteration(), c.loop());
    Level2Files known = files;
    if (known != null) {
      flushes.write(
          c.version(), (committed, failure) -> written(known, c, what, committed, failure));
      return;
    }
    Asker asker = open.remove(c.asker());
    if (asker != null) {
      say(asker.answer, what);
      asker.answer.end();
    }
  }

  private void written(
      Level2Files known, JobCommand.Checkpointed c, String what, long committed, String failure) {
    Asker asker = open.remove(c.asker());
    if (asker == null) {
      return; // the request was withdrawn
    }
    if (committed < c.version()) {
      asker.answer.refuse(
          what
              + " is in memory but not in files: "
              + failure
              + (asker.stops ? "; the job continues" : ""));
      return;
    }
    String generation = known.jobId() + "/v" + committed;
    say(asker.answer, what + ", in files: " + generation);
    if (!asker.stops) {
      asker.answer.end();
      return;
    }
    awaiting.add(asker.answer);
    JobCommand.Restored from = began;
    if (from != null && from.loop() == c.loop() && from.iteration() == c.iteration()) {
      // A script that restarts the job until it is done would do so forever.
      stop.stop(
          Ending.FAILED,
          "stopped at "
              + what
              + ", the same place as "
              + from.generation()
              + " from which it started: the job needs more time to make progress");
      return;
    }
    stop.stop(
        Ending.STOPPED,
        "stopped at "
            + what
            + "; to continue, start it with --l2-dir "
            + known.options().directory()
            + " --restart-from "
            + generation);
  }

  private static void say(Answer answer, String line) {
    answer.part((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Notes that a requested checkpoint will not be taken. */
  void refused(JobCommand.NotCheckpointed c) {
    Asker asker = open.remove(c.asker());
    if (asker != null) {
      asker.answer.refuse("no checkpoint was taken: " + c.reason());
    }
  }

  /** Makes the requests to this job that the job which it follows has not served. */
  void follow(CheckpointDesk last) {
    List<Asker> left = List.copyOf(last.open.values());
    last.open.clear();
    left.forEach(asker -> ask(asker.answer, asker.stops));
  }

  /** Notes the end of the job. */
  void end() {
    open.values()
        .forEach(asker -> asker.answer.refuse("no checkpoint was taken: the job has ended"));
    open.clear();
    awaiting.forEach(Answer::end);
    awaiting.clear();
  }
}
