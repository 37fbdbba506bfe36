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
 * Lets users ask for a checkpoint, on files if the job writes any, and tells them what has come of
 * it; ends the job for those who want that then. Belongs to the loop's thread.
 */
final class CheckpointDesk {
  private final Consumer<JobEvent> job;
  private final FlushDesk flushes;

  /** Null if the job writes nothing to files. */
  private final @Nullable Level2Files files;

  private final Stop stop;

  /** What the job has begun from, on files of another one; null if anew. */
  private JobCommand.@Nullable Restored began;

  /** Ends the job. */
  interface Stop {
    /**
     * @param status of fmirun
     */
    void stop(int status, String message);
  }

  /**
   * One who waits.
   *
   * @param stops whether the job is to end then
   */
  private record Asker(Answer answer, boolean stops) {}

  /** By the number that the job knows them by. */
  private final Map<Long, Asker> open = new TreeMap<>();

  /** Those who wait for the end of the job. */
  private final List<Answer> awaiting = new ArrayList<>();

  private long next;

  /**
   * @param job hears what users want
   * @param files null if the job has nothing to do with files
   * @param stop ends the job
   */
  CheckpointDesk(
      Consumer<JobEvent> job, FlushDesk flushes, @Nullable Level2Files files, Stop stop) {
    this.job = job;
    this.flushes = flushes;
    this.files = files != null && files.options().every() > 0 ? files : null;
    this.stop = stop;
  }

  /** Whether the job can stop where another one can go on. */
  boolean canStop() {
    return files != null;
  }

  /**
   * Somebody asks.
   *
   * @param stops whether the job is to end when the checkpoint is on files
   */
  void ask(Answer answer, boolean stops) {
    if (stops && files == null) {
      answer.refuse(
          "this job writes no checkpoints to files, from which another one could go on: start it"
              + " with --l2-dir DIR --l2-every K; 'fmi stop' without --at-checkpoint ends it");
      return;
    }
    long asker = next++;
    open.put(asker, new Asker(answer, stops));
    answer.part(new byte[0]); // it was heard
    answer.whenGone(() -> withdraw(asker));
    job.accept(new JobEvent.CheckpointAsked(asker, files != null));
  }

  private void withdraw(long asker) {
    if (open.remove(asker) != null) {
      job.accept(new JobEvent.CheckpointWithdrawn(asker));
    }
  }

  /** All go on from files. */
  void restored(JobCommand.Restored from) {
    Level2Files known = files;
    if (known != null && began == null && known.origin(from.generation()) != null) {
      began = from;
    }
    flushes.restored(from);
  }

  /** What checkpoints on files have come to, in lines. */
  List<String> summary() {
    return flushes.summary();
  }

  /** It is committed, in memory. */
  void taken(JobCommand.Checkpointed c) {
    String what =
        "checkpoint %d, of iteration %d in loop %d".formatted(c.version(), c.iteration(), c.loop());
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
      return; // it was called off
    }
    if (committed < c.version()) {
      asker.answer.refuse(
          what
              + " is in memory, and not on files: "
              + failure
              + (asker.stops ? "; the job goes on" : ""));
      return;
    }
    String generation = known.jobId() + "/v" + committed;
    say(asker.answer, what + ", on files: " + generation);
    if (!asker.stops) {
      asker.answer.end();
      return;
    }
    awaiting.add(asker.answer);
    JobCommand.Restored from = began;
    if (from != null && from.loop() == c.loop() && from.iteration() == c.iteration()) {
      // Whoever starts it again until it is done would do so forever.
      stop.stop(
          Ending.FAILED,
          "stopped at "
              + what
              + ", where "
              + from.generation()
              + " is, from which it began: it needs more time to come any further");
      return;
    }
    stop.stop(
        Ending.STOPPED,
        "stopped at "
            + what
            + "; to go on, start it with --l2-dir "
            + known.options().directory()
            + " --restart-from "
            + generation);
  }

  private static void say(Answer answer, String line) {
    answer.part((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** None will be. */
  void refused(JobCommand.NotCheckpointed c) {
    Asker asker = open.remove(c.asker());
    if (asker != null) {
      asker.answer.refuse("no checkpoint was taken: " + c.reason());
    }
  }

  /** The job has ended. */
  void end() {
    open.values()
        .forEach(asker -> asker.answer.refuse("no checkpoint was taken: the job has ended"));
    open.clear();
    awaiting.forEach(Answer::end);
    awaiting.clear();
  }
}
