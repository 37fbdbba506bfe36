package org.fmi.run.shell;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.fmi.job.JobCommand;
import org.jspecify.annotations.Nullable;

/**
 * The end of a job: whether it has begun, its status, and the tasks it still waits for. Belongs to
 * the loop's thread, except where a method says otherwise.
 */
final class Ending {
  /** FMI itself failed, or data was lost. */
  static final int FAILED = JobCommand.End.FAILED;

  /** The user's time limit has passed; as in timeout(1). */
  static final int TIMED_OUT = 124;

  /** The user has stopped the job where another one can continue; as EX_TEMPFAIL of sysexits.h. */
  static final int STOPPED = 75;

  private final CompletableFuture<Integer> result = new CompletableFuture<>();

  /** Current launches and fences, and running processes of daemons. */
  private final Set<Object> unfinished = new HashSet<>();

  /** The first signal that requested the end; 0 if there was none. */
  private volatile int signal;

  private @Nullable Integer status;

  /** Whether the job is ending. */
  boolean begun() {
    return status != null;
  }

  /** Begins the end, which is complete when all {@link #started} tasks have finished. */
  void begin(int exitStatus) {
    assert !begun() : "a job ends once";
    status = exitStatus;
  }

  /** Adds a task for which the end must wait. */
  void started(Object task) {
    unfinished.add(task);
  }

  /** Removes a finished task. */
  void finished(Object task) {
    unfinished.remove(task);
    completeIfIdle();
  }

  /** Completes the end if the job is ending and waits for nothing. */
  void completeIfIdle() {
    if (begun() && unfinished.isEmpty()) {
      complete();
    }
  }

  /** Completes the end, even if tasks have not finished. */
  void complete() {
    result.complete(exitStatus());
  }

  private int exitStatus() {
    if (status == null) {
      return FAILED;
    }
    // Ctrl-C reaches all foreground processes: a starting daemon may have failed first.
    return status != 0 && signal != 0 ? 128 + signal : status;
  }

  /** Waits for the complete end, and returns the exit status. Any thread but the loop's. */
  int await() {
    return result.join();
  }

  /** Whether the end is complete. Any thread. */
  boolean isComplete() {
    return result.isDone();
  }

  /**
   * Notes a request to end the job. Any thread.
   *
   * @param number the signal; the first one decides the status, because later ones may be its
   *     consequences, such as a lost reader of the output
   */
  void interrupt(int number) {
    if (signal == 0) {
      signal = number;
    }
  }

  /** Whether the end was requested. Any thread. */
  boolean interrupted() {
    return signal != 0;
  }
}
